import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** One error text of the Machine Config Operator's source. */
const McoText = z.object({
  /** As the source has it, with the verbs of Go's fmt. */
  text: z.string(),
  file: z.string(),
  /** First of the releases looked at that has it. */
  since: z.string(),
  /** Last one; absent: the newest still has it. */
  until: z.string().optional(),
  /** Where people meet it. */
  surface: z.enum(['node reason', 'RenderDegraded', 'event', 'MachineConfigNode', 'ClusterOperator']),
  /** The reason of the event, or the type of the condition. */
  name: z.string().optional(),
  /** The kind that the event is about. */
  on: z.string().optional(),
  /** Where the text itself does not say it. */
  happened: z.string().optional(),
  /** Cause code. `inner`: it only wraps another error, which decides. `D`: what stops the drain decides. `object`: the
   *  object that it names decides, between the codes of `or`. `none`: no rollout stands still for it. */
  code: z.string(),
  /** What else the same text may mean, and what tells it. */
  or: z.array(z.object({ code: z.string(), when: z.string() })).optional(),
  /** With values as they occur; `{inner}` stands for the error that it wraps, `{drain}` for that of a drain. */
  example: z.string().optional(),
});
export type McoText = z.infer<typeof McoText>;

const Table = z.object({ source: z.string(), releases: z.string(), texts: z.array(McoText) });

/** How it was made: test/corpus/README.md. */
export const mcoTexts = Table.parse(JSON.parse(readFileSync(join(import.meta.dirname, 'mco-texts.json'), 'utf8')));
