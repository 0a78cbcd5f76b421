-- A payment with a fresh UUID v4 as its Idempotency-Key on every request.
math.randomseed(os.time() * 1000 + math.floor(os.clock() * 1e6))
local random = math.random
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local body = '{"amount":5077,"currency":"XOF","reference":"INV-2026-0042"}'
function request()
  wrk.headers["Idempotency-Key"] = string.format("%08x-%04x-4%03x-%04x-%06x%06x",
    random(0, 0x7fffffff), random(0, 0xffff), random(0, 0xfff), random(0x8000, 0xbfff),
    random(0, 0xffffff), random(0, 0xffffff))
  return wrk.format(nil, nil, nil, body)
end
