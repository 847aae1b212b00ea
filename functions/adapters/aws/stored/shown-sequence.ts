import * as z from 'zod';
import type { SequenceProblem } from '../../../core/sequences/sequence-problems.ts';
import type { SequenceItemView, SequenceView } from '../../../core/sequences/sequence-view.ts';
import type { ShownSequence } from '../../../core/sequences/shown-sequence.ts';
import { everyOf } from './every-of.ts';
import { maybeText } from './maybe.ts';

const StoredItem = z.looseObject({
  id: z.string(),
  kind: everyOf<SequenceItemView['kind']>({ step: 'step', gate: 'gate' }),
  of: maybeText,
  what: z.string(),
  cluster: z.string(),
  state: everyOf<SequenceItemView['state']>({
    healthy: 'healthy',
    unhealthy: 'unhealthy',
    unseen: 'unseen',
    unasked: 'unasked',
    skipped: 'skipped',
    passed: 'passed',
  }),
  value: z.string(),
  since: maybeText,
  begunAt: maybeText,
  waitedSince: maybeText,
  until: maybeText,
  onTimeout: maybeText,
  why: maybeText,
  waitsFor: z.array(z.string()).optional(),
});

export const StoredShownSequence = z.looseObject({
  sequence: z.string(),
  description: maybeText,
  cluster: z.string(),
  readAt: z.string(),
  state: everyOf<SequenceView['state']>({
    'not begun': 'not begun',
    running: 'running',
    done: 'done',
    paused: 'paused',
    aborted: 'aborted',
  }),
  said: z.looseObject({ who: z.string(), why: z.string(), at: z.string() }).optional(),
  wave: z.int().optional(),
  waves: z.array(z.looseObject({ wave: z.int(), items: z.int(), healthy: z.int(), shown: z.array(StoredItem) })),
  wavesOmitted: z.int(),
  problems: z.array(
    z.looseObject({
      kind: everyOf<SequenceProblem['kind']>({
        timeout: 'timeout',
        regression: 'regression',
        refused: 'refused',
        unseen: 'unseen',
        aborted: 'aborted',
        drift: 'drift',
      }),
      item: z.string(),
      cluster: z.string(),
      since: z.string(),
      why: z.string(),
    }),
  ),
  log: z.array(z.looseObject({ at: z.string(), item: z.string(), what: z.string() })),
}) satisfies z.ZodType<ShownSequence>;
