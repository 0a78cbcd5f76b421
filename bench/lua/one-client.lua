wrk.headers["X-Forwarded-For"] = "192.0.2.1"
