import { createHash, createHmac } from 'node:crypto';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface RequestToSign {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly region: string;
  readonly service: string;
  readonly credentials: Credentials;
  readonly at: Date;
}

/** The headers of a POST, signed as AWS asks for: Signature Version 4 (docs.aws.amazon.com, IAM User Guide, "Create a
 *  signed AWS API request"). The path is encoded already, and is encoded once more in what is signed, as for every
 *  service but S3. No query. */
export function signedHeaders({ url, body, region, service, credentials, at, ...request }: RequestToSign) {
  const time = `${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
  const day = time.slice(0, 8);
  const { sessionToken } = credentials;
  const headers: Readonly<Record<string, string>> = {
    ...request.headers,
    host: url.host,
    'x-amz-date': time,
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(headers).toSorted();
  const signed = names.join(';');
  const path = url.pathname.split('/').map(encodedOnce).join('/');
  const lines = names.map((name) => `${name}:${(headers[name] ?? '').trim()}\n`).join('');
  const canonical = ['POST', path, '', lines, signed, sha256(body)].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    (last, part) => createHmac('sha256', last).update(part).digest(),
    `AWS4${credentials.secretAccessKey}`,
  );
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  const { host: _, ...sent } = headers;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`,
  };
}

function encodedOnce(part: string): string {
  return encodeURIComponent(part).replaceAll(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
