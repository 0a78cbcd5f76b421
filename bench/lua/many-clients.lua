-- Every request from the next of 100000 client addresses, as a trusted proxy would name it.
local n = 0
function request()
  n = (n + 1) % 100000
  wrk.headers["X-Forwarded-For"] = string.format("10.%d.%d.%d", math.floor(n / 65536), math.floor(n / 256) % 256, n % 256)
  return wrk.format()
end
