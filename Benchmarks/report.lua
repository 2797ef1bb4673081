-- wrk calls `done` once at the end. The numbers are exact here, but rounded in wrk's output.
local text = [[{"requests": %d, "duration_us": %d, "p50_us": %d, "p99_us": %d,
 "errors": {"connect": %d, "read": %d, "write": %d, "timeout": %d, "status": %d}}]]

function done(summary, latency, _)
    local errors = summary.errors
    local file = assert(io.open(os.getenv("BENCH_RESULT"), "w"))
    file:write(text:format(summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
        errors.connect, errors.read, errors.write, errors.timeout, errors.status))
    file:close()
end
