import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { methodToAsk, requestIdHeader, respond, type WebHandler } from './answer.ts';
import { PlainAnswer, PlainRequest, type WebAnswer, type WebRequest } from './exchange.ts';
import { lazy } from './lazy.ts';
import { metricNames } from './metric-names.ts';
import type { Telemetry } from './telemetry.ts';

export interface HttpFunction {
  readonly telemetry: Telemetry;
  /** Runs at cold start only, with the first request. */
  readonly build: () => Promise<WebHandler>;
}

/** A web handler as a Lambda behind an HTTP API (payload format 2.0). A failed cold start is answered with 500 and
 *  repeated with the next request. */
export function httpFunction({ telemetry, build }: HttpFunction) {
  const { logger, metrics } = telemetry;
  const ready = lazy(build);

  async function answer(event: APIGatewayProxyEventV2): Promise<WebAnswer> {
    const { requestId } = event.requestContext;
    try {
      const handle = await ready();
      return await handle(toRequest(event));
    } catch (error) {
      metrics.count(metricNames.requestsFailed);
      logger.error('request failed before it was handled', { requestId, error });
      return respond({ status: 500, reason: 'internal error' }, requestId);
    }
  }

  return (event: APIGatewayProxyEventV2, context: Context): Promise<APIGatewayProxyStructuredResultV2> =>
    telemetry.within({ invocation: context.awsRequestId }, async () => {
      try {
        return await toResult(await answer(event));
      } finally {
        telemetry.flush();
      }
    });
}

/** The request as sent. The body is bytes: API Gateway passes text as text and the rest as base64, and a signature is
 *  over the bytes. */
function toRequest(event: APIGatewayProxyEventV2): WebRequest {
  const method = methodToAsk(event.requestContext.http.method);
  const url = new URL(`https://${event.requestContext.domainName}`);
  url.pathname = event.rawPath;
  url.search = event.rawQueryString;
  const sent = Object.entries(event.headers).map(([name, value]) => [name.toLowerCase(), value?.trim()]);
  const fields = { ...Object.fromEntries(sent), [requestIdHeader]: event.requestContext.requestId };
  const body =
    event.body === undefined ? undefined : Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8');
  return new PlainRequest({ method, url: url.href, fields }, body);
}

/** The answer for API Gateway: text as text, anything else as base64. */
async function toResult(answer: WebAnswer): Promise<APIGatewayProxyStructuredResultV2> {
  if (answer instanceof PlainAnswer)
    return { statusCode: answer.status, headers: { ...answer.fields }, body: answer.content, isBase64Encoded: false };
  const bytes = Buffer.from(await answer.arrayBuffer());
  const isPacked = answer.headers.has('content-encoding');
  const isText = !isPacked && /^text\/|json|xml|javascript/.test(answer.headers.get('content-type') ?? 'text/plain');
  return {
    statusCode: answer.status,
    headers: Object.fromEntries(answer.headers),
    body: bytes.toString(isText ? 'utf8' : 'base64'),
    isBase64Encoded: !isText,
  };
}
