import netlify from '@netlify/vite-plugin'
import { defineConfig } from 'vite'

export default defineConfig({
  // Edge functions need Deno.
  plugins: [netlify({ edgeFunctions: { enabled: false } })],
  // Otherwise Vite answers OPTIONS.
  server: { cors: false },
})
