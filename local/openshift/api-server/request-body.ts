import type { IncomingMessage } from 'node:http';
import { badRequest, requestTooLarge } from './api-error.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { apiVersionOf, type ResourceType } from './resource-types.ts';

/** The real server's limit on a request body. Bytes. */
const limitBytes = 3 * 1024 * 1024;

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request) {
    sizeBytes += (chunk as Buffer).length;
    if (sizeBytes <= limitBytes) chunks.push(chunk as Buffer);
  }
  if (sizeBytes > limitBytes) throw requestTooLarge(limitBytes);
  return Buffer.concat(chunks).toString('utf8');
}

/** The object in the body of a POST or PUT. */
export function parseObject(type: ResourceType, text: string): JsonObject {
  const parsed = parseJson(text);
  const unrecognized = `the object provided is unrecognized (must be of type ${type.kind}): `;
  if (parsed instanceof SyntaxError)
    throw badRequest(
      `${unrecognized}couldn't get version/kind; json parse error: ${parsed.message} (${text.slice(0, 40)})`,
    );
  if (!isJsonObject(parsed))
    throw badRequest(
      `${unrecognized}couldn't get version/kind; json parse error: not an object (${text.slice(0, 40)})`,
    );
  if (typeof parsed['kind'] !== 'string' || parsed['kind'] === '')
    throw badRequest(
      `${unrecognized}Object 'Kind' is missing in '${text}' (${text.length > 30 ? `${text.slice(0, 30)} ...` : text})`,
    );
  if (parsed['apiVersion'] !== undefined && parsed['apiVersion'] !== apiVersionOf(type))
    throw badRequest(
      `the API version in the data (${String(parsed['apiVersion'])}) does not match the expected API version (${apiVersionOf(type)})`,
    );
  return parsed;
}

/** The parsed body; the syntax error if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text === '' ? new SyntaxError('unexpected end of JSON input') : error;
    throw error;
  }
}
