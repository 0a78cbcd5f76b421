-- Reads the accounts of the recording, each as often as the next, in an order that no cache guesses.
local accounts, n
-- Odd and no multiple of 5: a walk in steps of it meets every account of 10, 1000 or 100000 before one comes again.
local STEP = 61803
function init(args)
  accounts = tonumber(args[1])
  math.randomseed(os.time() * 1000 + math.floor(os.clock() * 1e6))
  n = math.random(0, accounts - 1)
end
function request()
  n = (n + STEP) % accounts
  return wrk.format(nil, string.format("/v1/accounts/acc_86AtWLjM0YBxc%012d", n))
end
