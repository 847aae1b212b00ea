import * as z from 'zod';
import type { RunProblem } from '../../../core/node-turns/run-question.ts';
import type { RunTile } from '../../../core/node-turns/run-tile.ts';
import type { RunView } from '../../../core/node-turns/run-view.ts';
import type { ShownRun } from '../../../core/node-turns/shown-run.ts';
import { everyOf } from './every-of.ts';
import { maybe, maybeText } from './maybe.ts';

const StoredTile = z.looseObject({
  node: z.string(),
  pool: z.string(),
  state: everyOf<RunTile['state']>({
    done: 'done',
    waiting: 'waiting',
    held: 'held',
    before: 'before',
    updating: 'updating',
    after: 'after',
    blocked: 'blocked',
    skipped: 'skipped',
  }),
  step: maybe(everyOf<NonNullable<RunTile['step']>>({ before: 'before', updating: 'updating', after: 'after' })),
  doing: z.string(),
  since: maybeText,
  place: maybe(z.int()),
  tail: z.array(z.string()),
});

export const StoredShownRun = z.looseObject({
  run: z.string(),
  cluster: z.string(),
  mode: everyOf<RunView['mode']>({ turns: 'turns', canary: 'canary' }),
  state: everyOf<RunView['state']>({
    idle: 'idle',
    running: 'running',
    blocked: 'blocked',
    paused: 'paused',
    aborting: 'aborting',
    aborted: 'aborted',
  }),
  said: maybe(z.looseObject({ who: z.string(), why: z.string(), at: z.string() })),
  blockedSince: maybeText,
  block: maybe(
    z.looseObject({
      kind: everyOf<RunProblem['kind']>({
        job: 'job',
        node: 'node',
        refused: 'refused',
        moved: 'moved',
        canary: 'canary',
        skipped: 'skipped',
        unseen: 'unseen',
        lost: 'lost',
        gate: 'gate',
      }),
      node: z.string(),
      place: maybe(z.int()),
      cause: z.string(),
      action: z.string(),
    }),
  ),
  next: maybe(z.looseObject({ node: z.string(), why: z.string() })),
  minutesLeft: maybe(z.int()),
  done: z.int(),
  total: z.int(),
  pools: z.array(
    z.looseObject({
      name: z.string(),
      target: z.string(),
      paused: z.boolean(),
      unread: z.literal(true).optional(),
    }),
  ),
  tiles: z.array(StoredTile),
  tilesOmitted: z.looseObject({ done: z.int(), waiting: z.int() }),
  log: z.array(z.looseObject({ at: z.string(), node: z.string(), what: z.string() })),
  readAt: z.string(),
}) satisfies z.ZodType<ShownRun>;
