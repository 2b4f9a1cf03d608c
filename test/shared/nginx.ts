import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'

const NGINX = '/usr/sbin/nginx'

export const NO_NGINX = !existsSync(NGINX) && `this machine has no ${NGINX}`

/** Starts nginx with a `server { … }` that listens on a port of 127.0.0.1, until the test is finished. */
export async function startNginx(server: string, port: number): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'plant-store-nginx-'))
  const config = join(directory, 'nginx.conf')
  // As root, nginx would serve as a user that can't write to the directory.
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  await writeFile(
    config,
    `${user} daemon off; pid ${directory}/pid; error_log stderr; worker_processes 1; events {}
     http {
       access_log off;
       client_body_temp_path ${directory}/body; proxy_temp_path ${directory}/proxy;
       fastcgi_temp_path ${directory}/a; uwsgi_temp_path ${directory}/b; scgi_temp_path ${directory}/c;
       ${server}
     }`,
  )
  const nginx = spawn(NGINX, ['-c', config, '-p', directory], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const exited = new Promise((resolve) => nginx.once('exit', resolve))
  onTestFinished(async () => {
    nginx.kill('SIGTERM')
    await exited
    await rm(directory, { recursive: true })
  })
  await vi.waitFor(() => connects(port), { timeout: 20_000 })
}

function connects(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.destroy()
      resolve()
    })
  })
}
