import polka from 'polka'
import { toExpressHandler } from '../../../adapters/express.ts'
import { mountedStore as store } from './store.ts'

export const app = polka()
app.use('/api', toExpressHandler(store))
