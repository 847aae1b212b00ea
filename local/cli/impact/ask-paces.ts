import * as z from 'zod';
import type { OwnPace } from '../../../functions/core/impact/node-pace.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { askStatus } from '../ask-status.ts';
import type { Surroundings } from '../command.ts';

/** The part of the status that this needs. */
const Answer = z.object({
  clusters: z.array(
    z.object({
      name: z.string(),
      pools: z.array(
        z.object({
          name: z.string(),
          pace: z.object({ usualMinutes: z.int(), slowMinutes: z.int(), rollouts: z.int() }).optional(),
        }),
      ),
    }),
  ),
});

/** The pace of the pools' own nodes, from a running Poolkeeper. Throws Misconfigured for an unknown cluster, and as
 *  `askStatus` does. */
export async function askPaces(
  url: string,
  cluster: string,
  surroundings: Surroundings,
): Promise<Readonly<Record<string, OwnPace>>> {
  const { body } = await askStatus(url, surroundings, `?cluster=${encodeURIComponent(cluster)}`);
  const answer = Answer.safeParse(body);
  if (!answer.success) throw new Misconfigured([`${url}/status is not the status of a Poolkeeper of this version`]);
  const found = answer.data.clusters.find(({ name }) => name === cluster);
  if (found === undefined) throw new Misconfigured([`--cluster ${cluster}: ${url} knows no such cluster`]);
  return Object.fromEntries(
    found.pools.flatMap(({ name, pace }) =>
      pace === undefined
        ? []
        : [[name, { usual: pace.usualMinutes, slow: pace.slowMinutes, rollouts: pace.rollouts }] as const],
    ),
  );
}
