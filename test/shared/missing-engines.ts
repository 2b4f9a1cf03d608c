// Says which engines npm can't install, so that their tests are skipped: npm run engines
import { NO_MARIADB } from '../src/storage/mariadb-server.ts'

if (NO_MARIADB) {
  console.log(
    'MariaDB is missing, so its tests are skipped. On Debian: sudo apt-get install mariadb-server',
  )
}
