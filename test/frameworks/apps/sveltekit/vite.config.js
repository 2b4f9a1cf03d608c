import adapter from '@sveltejs/adapter-node'
import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vite'

// SvelteKit takes a DELETE without Content-Type for a form of another site, and answers 403. The plant
// store's client sends a Content-Type. For clients that don't, such as `curl -X DELETE`, if none of the app's
// own forms needs the check:
//
//   sveltekit({ adapter: adapter(), csrf: { trustedOrigins: ['*'] } })
export default defineConfig({ plugins: [sveltekit({ adapter: adapter() })] })
