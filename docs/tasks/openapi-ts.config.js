export default {
  input: 'openapi.json',
  output: 'src/plants',
  plugins: [
    '@hey-api/client-fetch',
    { name: '@hey-api/sdk', transformer: true },
    { name: '@hey-api/transformers', bigInt: true },
  ],
}
