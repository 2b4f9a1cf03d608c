// In place of AWS: calls the handler with the event that a gateway makes of a request. The path begins with the kind of
// gateway.
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { handler } from './handler.mts'

const context = { awsRequestId: 'request-1', functionName: 'plants' }

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html */
function apiGatewayV1({ method, path, query, headers, headersDistinct, body }) {
  const multiValue = Object.fromEntries([...query].map(([name]) => [name, query.getAll(name)]))
  return {
    resource: '/{proxy+}',
    path,
    httpMethod: method,
    headers,
    multiValueHeaders: headersDistinct,
    queryStringParameters: query.size > 0 ? Object.fromEntries(query) : null,
    multiValueQueryStringParameters: query.size > 0 ? multiValue : null,
    pathParameters: null,
    stageVariables: null,
    requestContext: {
      httpMethod: method,
      path,
      stage: 'prod',
      identity: { sourceIp: '127.0.0.1' },
    },
    body,
    isBase64Encoded: true,
  }
}

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html */
function apiGatewayV2({ method, path, query, headers, body }) {
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: `${query}`,
    headers,
    requestContext: {
      domainName: 'garden.example',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: '' },
    },
    ...(body && { body }),
    isBase64Encoded: true,
  }
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions.html */
function loadBalancer({ method, path, query, headers, body }) {
  return {
    requestContext: {
      elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:eu-west-1:1:targetgroup/plants/1' },
    },
    httpMethod: method,
    path,
    queryStringParameters: Object.fromEntries(query),
    headers,
    body: body ?? '',
    isBase64Encoded: true,
  }
}

const events = { v1: apiGatewayV1, v2: apiGatewayV2, alb: loadBalancer }

createServer(async (request, response) => {
  const { pathname, searchParams: query } = new URL(request.url, 'http://localhost')
  const [, kind, path] = /^\/(v1|v2|alb)(\/.*)$/.exec(pathname) ?? []
  if (!kind) return response.writeHead(404).end()
  const { method, headersDistinct } = request
  const fields = Object.entries(headersDistinct).map(([name, values]) => [name, values.join()])
  const headers = Object.fromEntries(fields)
  let result
  try {
    const body = (await buffer(request)).toString('base64') || null
    const event = events[kind]({ method, path, query, headers, headersDistinct, body })
    result = await handler(event, context)
  } catch {
    // The client has gone, or the function has failed.
    return response.writeHead(502).end()
  }
  response.statusCode = result.statusCode
  for (const [name, value] of Object.entries(result.headers ?? {})) response.setHeader(name, value)
  for (const [name, values] of Object.entries(result.multiValueHeaders ?? {})) {
    response.setHeader(name, values)
  }
  response.end(Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8'))
}).listen(process.env.PORT ?? 3000)
