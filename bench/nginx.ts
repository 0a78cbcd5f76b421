import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Debian's nginx with one worker, connections kept alive on both sides, and nothing that it does beside. */
export function nginxCommand(directory: string, port: number, upstream: string): readonly string[] {
  const { host } = new URL(upstream)
  const file = join(directory, 'nginx.conf')
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(directory, name)};`)
    .join(' ')
  writeFileSync(
    file,
    `worker_processes 1; daemon off; master_process off; pid ${join(directory, 'pid')}; error_log stderr crit;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 1000000000; ${paths}
  upstream sandbox { server ${host}; keepalive 128; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://sandbox; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }
}
`,
  )
  return ['nginx', '-p', directory, '-c', file]
}

/** Why it cannot be measured, if so. */
export function nginxMissing(): string | undefined {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'nginx is not installed: apt-get install nginx-light'
  }
}
