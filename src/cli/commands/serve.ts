import { overrideFromText } from '../../config/environment.ts'
import { type ConfigError, formatConfigErrors } from '../../config/errors.ts'
import { createLiveConfig, type LiveConfig } from '../../config/live.ts'
import { loadConfig } from '../../config/load.ts'
import { createReloader } from '../../config/loading.ts'
import { displayName } from '../../config/yaml-file.ts'
import { createLogger } from '../../observe/logger.ts'
import { type RunningGateway, startGateway } from '../../start/gateway.ts'
import type { Invocation, Run } from '../command.ts'
import { configFile } from '../config-file.ts'
import { takeHangup } from '../hangup.ts'
import { startProblem } from '../start-problem.ts'
import { stopSignal } from '../stop-signal.ts'
import { welcome } from '../welcome.ts'

/** Runs the gateway until SIGTERM or SIGINT. */
export const run: Run = async (invocation, io) => {
  const file = configFile(invocation.options.config)
  const flags = flagOverrides(invocation)
  const options = { file, env: io.env, flags }
  const initial = loadConfig(options)
  if (!initial.ok) {
    io.err(`${formatConfigErrors(initial.errors)}\n`)
    return initial.errors.every(isFromFlag) ? 'usage' : 'configuration'
  }
  const logger = createLogger(initial.config.log)
  for (const warning of initial.warnings) logger.warn({}, warning)

  let gateway: RunningGateway | undefined
  let failures = 0
  const live = createLiveConfig({
    load: createReloader(options, initial),
    initial,
    onReload: async (config, needsRestart) => {
      await gateway?.reconfigure(config)
      logger.info({ needsRestart }, 'configuration reloaded')
    },
    onError: (errors) => {
      failures++
      const lines = formatConfigErrors(errors).split('\n')
      logger.error({ errors: lines }, 'the configuration has mistakes; the one before stays in use')
    },
  })
  if (takeHangup()) void live.reload()
  const stop = stopSignal()
  try {
    gateway = await startGateway({
      config: initial.config,
      logger,
      configuration: () => ({ ...stateOf(live), failures, reloadMs: live.reloadMs() }),
      files: { files: live.files, reload: () => live.reload().then(() => stateOf(live)) },
    })
  } catch (error) {
    live.stop()
    stop.cancel()
    const { exit, message } = startProblem(error, initial.config)
    io.err(`sandgate serve: ${message}\n`)
    await logger.flush()
    return exit
  }
  // A reload that came while it was starting.
  if (live.current() !== initial.config) await gateway.reconfigure(live.current())
  const { partnerUrl, operatorUrl } = gateway
  const configuration = file === null ? 'built-in defaults' : displayName(file)
  logger.info({ partnerUrl, operatorUrl, configuration }, 'listening')
  // Where the log is off, the one line that a script waits for is still written.
  if (initial.config.log.format === 'off') io.out(`listening ${partnerUrl} ${operatorUrl}\n`)
  if (invocation.options.quiet !== true) io.err(welcome(initial.config, gateway))

  const signal = await stop.received
  logger.info({ signal }, 'stopping')
  live.stop()
  await gateway.close()
  logger.info({}, 'stopped')
  await logger.flush()
  return 'ok'
}

function flagOverrides({ command, options }: Invocation) {
  return Object.entries(options).flatMap(([name, value]) => {
    const { setting, implies = [] } = command.options[name] ?? {}
    if (setting === undefined) return []
    const others = implies.map((also) => overrideFromText(`--${name}`, also.path, also.value))
    return [overrideFromText(`--${name}`, setting, String(value)), ...others]
  })
}

function isFromFlag({ file }: ConfigError): boolean {
  return file.startsWith('--')
}

function stateOf(live: LiveConfig) {
  const status = live.status()
  return status.ok
    ? { ok: true, needsRestart: status.needsRestart }
    : { ok: false, needsRestart: status.needsRestart, errors: formatConfigErrors(status.errors).split('\n') }
}
