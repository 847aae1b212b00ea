import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { Status } from '../../../functions/status/status.ts';
import { askStatus, noStatus } from '../ask-status.ts';
import type { Surroundings } from '../command.ts';

/** What a running Poolkeeper knows. Throws Misconfigured for an unknown cluster and as `askStatus` does, Transient if
 *  the answer is none. */
export async function readStatus(
  url: string,
  cluster: string | undefined,
  surroundings: Pick<Surroundings, 'environment'>,
): Promise<Status> {
  const query = cluster === undefined ? '' : `?cluster=${encodeURIComponent(cluster)}`;
  const { status, body } = await askStatus(url, surroundings, query);
  if (status === 404 && cluster !== undefined)
    throw new Misconfigured([`--cluster ${cluster}: ${url} knows no such cluster`]);
  const read = Status.safeParse(body);
  if (read.success) return read.data;
  throw noStatus(url, status);
}
