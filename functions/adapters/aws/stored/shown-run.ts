import * as z from 'zod';
import type { ShownRun } from '../../../core/node-turns/shown-run.ts';
import { maybe, maybeText } from './maybe.ts';

const StoredTile = z.looseObject({
  node: z.string(),
  pool: z.string(),
  state: z.enum(['done', 'waiting', 'held', 'before', 'updating', 'after', 'blocked', 'skipped']),
  step: maybe(z.enum(['before', 'updating', 'after'])),
  doing: z.string(),
  since: maybeText,
  place: maybe(z.int()),
  tail: z.array(z.string()),
});

export const StoredShownRun = z.looseObject({
  run: z.string(),
  cluster: z.string(),
  mode: z.enum(['turns', 'canary']),
  state: z.enum(['idle', 'running', 'blocked', 'paused', 'aborting', 'aborted']),
  said: maybe(z.looseObject({ who: z.string(), why: z.string(), at: z.string() })),
  blockedSince: maybeText,
  block: maybe(
    z.looseObject({
      kind: z.enum(['job', 'node', 'refused', 'moved', 'skipped', 'unseen', 'lost', 'gate']),
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
