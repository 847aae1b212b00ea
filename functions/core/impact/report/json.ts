import * as z from 'zod';
import { disruptionClasses } from '../../machine-config/disruption.ts';
import type { ClusterImpact } from '../report.ts';

const Class = z.enum(disruptionClasses);
const Warning = z.object({ code: z.string(), text: z.string(), remedy: z.string() });

const Reason = z.object({
  what: z.string(),
  class: Class,
  why: z.string(),
  source: z.string().describe('The MachineConfig or other object that it comes from.'),
});

const Diff = z.object({
  what: z.string(),
  change: z.enum(['added', 'removed', 'changed']),
  lines: z.array(z.string()).describe('Unified diff; what looks like a secret is masked.'),
  source: z.object({ before: z.string(), after: z.string() }),
  security: z.array(z.string()).describe('Security topics of the change.'),
});

const PoolImpact = z.object({
  pool: z.string(),
  why: z.array(z.string()),
  machines: z.int().nonnegative(),
  maxUnavailable: z.string().describe('As in the pool: a number or a percentage.'),
  class: Class.nullable().describe('Null: unknown, assume a reboot.'),
  update: z.enum(['nothing', 'files', 'os', 'os-and-files', 'unknown']),
  reasons: z.array(Reason),
  diff: z.array(Diff),
  warnings: z.array(Warning),
});

/** Impact of a change on each cluster. Readers must tolerate new keys. */
export const ImpactDocument = z.object({
  version: z.literal(1),
  clusters: z.array(
    z.object({
      cluster: z.string(),
      applications: z.array(z.string()),
      pools: z.array(PoolImpact),
      silent: z.array(z.object({ what: z.string(), why: z.string() })).describe('Changes that reach no pool.'),
      unknown: z.array(z.object({ path: z.string(), why: z.string() })).describe('What could not be read.'),
      warnings: z.array(Warning),
    }),
  ),
});
export type ImpactDocument = z.infer<typeof ImpactDocument>;

/** The impact as a document. JSON has no undefined: an unknown class is null. */
export function impactDocument(impacts: readonly ClusterImpact[]): ImpactDocument {
  return ImpactDocument.parse({
    version: 1,
    clusters: impacts.map((impact) => ({
      ...impact,
      pools: impact.pools.map((pool) => ({ ...pool, class: pool.class ?? null })),
    })),
  });
}
