import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { endCommand, startCommand } from './command.ts'

const NGINX = '/usr/sbin/nginx'

/** Why a program can't be used, if it can't. */
export const missing = (path: string) => !existsSync(path) && `this machine has no ${path}`

export const NO_NGINX = missing(NGINX)

/** Starts nginx with what is in its block `http { … }`, and returns the function that ends it. */
export function startNginx(http: string, port: number): Promise<() => Promise<void>> {
  return startProxy([NGINX, '-c'], port, (folder) => {
    // As root, nginx would serve as a user that can't write to the folder.
    const user = process.getuid?.() === 0 ? 'user root;' : ''
    return `
      ${user} daemon off; pid ${folder}/pid; error_log stderr crit; worker_processes 1; events {}
      http {
        access_log off;
        client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
        fastcgi_temp_path ${folder}/a; uwsgi_temp_path ${folder}/b; scgi_temp_path ${folder}/c;
        ${http}
      }`
  })
}

/** Starts a proxy that listens on a port of 127.0.0.1, and returns the function that ends it. */
export async function startProxy(
  [program, ...options]: [string, ...string[]],
  port: number,
  configure: (folder: string) => string,
): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-proxy-'))
  const config = join(folder, 'config')
  await writeFile(config, configure(folder))
  const proxy = startCommand([program, ...options, config], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  while (!(await accepts(port))) {
    if (proxy.child.exitCode !== null) throw new Error(`${program} has ended`)
    await delay(20)
  }
  return async () => {
    await endCommand(proxy)
    await rm(folder, { recursive: true })
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(false))
    socket.once('connect', () => resolve(true)).once('connect', () => socket.destroy())
  })
}
