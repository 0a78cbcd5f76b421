import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLogger, type RequestLine } from '../../src/observe/logger.ts'

function captured(format: 'json' | 'pretty' | 'off' | 'auto', requests = true) {
  let text = ''
  const write = (line: string) => {
    text += line
  }
  const logger = createLogger({ format, requests }, { write })
  return {
    logger,
    text: () => text,
    lines: () =>
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
  }
}

const request: RequestLine = {
  requestId: 'req_1',
  partner: 'demo',
  operation: 'payments.fund',
  method: 'POST',
  status: 200,
  code: null,
  durationMs: 1.23456,
}

describe('the log', () => {
  it('has one JSON line for each message, with an ISO time and the level by name', () => {
    const { logger, lines } = captured('json')
    logger.info({ port: 8080 }, 'listening')
    logger.warn({}, 'careful')
    logger.error({ err: new Error('broken') }, 'failed')
    expect(lines()).toMatchObject([
      {
        level: 'info',
        port: 8080,
        msg: 'listening',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
      },
      { level: 'warn', msg: 'careful' },
      { level: 'error', msg: 'failed', err: { message: 'broken', stack: expect.any(String) } },
    ])
  })

  it('is JSON with `auto` when it does not go to a terminal', () => {
    const { logger, lines } = captured('auto')
    logger.info({}, 'hello')
    expect(lines()).toMatchObject([{ msg: 'hello' }])
  })

  it('has one line for each request, with nothing in it but what is listed', () => {
    const { logger, lines } = captured('json')
    logger.logRequest({ ...request, authorization: 'Bearer x' } as RequestLine)
    const [{ time, ...line }] = lines()
    expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(1000)
    expect(line).toEqual({ ...request, durationMs: 1.235, level: 'info', msg: 'request' })
  })

  it('keeps the order of requests and messages', () => {
    const { logger, lines } = captured('json')
    logger.logRequest(request)
    logger.info({}, 'between')
    logger.logRequest(request)
    expect(lines().map(({ msg }) => msg)).toEqual(['request', 'between', 'request'])
  })

  it('is JSON on one line whatever the values are', () => {
    const text = fc.option(fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(text, text, fc.string({ unit: 'binary' }), (partner, operation, method) => {
        const { logger, lines } = captured('json')
        logger.logRequest({ ...request, partner, operation, method, code: undefined })
        const [line] = lines()
        expect(lines()).toHaveLength(1)
        expect([line.partner, line.operation, line.method, line.code]).toEqual([
          partner,
          operation,
          method,
          null,
        ])
      }),
    )
  })

  it('has no request lines with `requests: false`', () => {
    const { logger, text } = captured('json', false)
    logger.logRequest(request)
    expect(text()).toBe('')
  })

  it('is for people with `pretty`', () => {
    const { logger, text } = captured('pretty')
    logger.logRequest(request)
    expect(text()).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: request .*"operation":"payments.fund"/)
  })

  it('writes nothing with `off`', async () => {
    const { logger, text } = captured('off')
    logger.logRequest(request)
    logger.error({}, 'failed')
    await logger.flush()
    expect(text()).toBe('')
  })
})
