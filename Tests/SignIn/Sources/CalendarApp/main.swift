// SPDX-License-Identifier: Apache-2.0

import SignInWorker

await SignInWorker.main()
