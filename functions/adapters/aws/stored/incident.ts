import * as z from 'zod';
import type { Incident, NoteKind } from '../../../core/alerts/incident.ts';
import type { Finding, TroubleKind } from '../../../core/findings/trouble.ts';
import { maybe, maybeText } from './maybe.ts';

/** Complete by its type: a kind added in the core must be added here. */
const troubleKinds = {
  'drain-blocked': 'drain-blocked',
  'node-degraded': 'node-degraded',
  'node-lost': 'node-lost',
  'no-progress': 'no-progress',
  'render-failed': 'render-failed',
  'build-failed': 'build-failed',
  'paused-too-long': 'paused-too-long',
  'sync-stuck': 'sync-stuck',
  'run-failed': 'run-failed',
  'late-pause': 'late-pause',
  'approval-needed': 'approval-needed',
  'break-glass': 'break-glass',
  emergency: 'emergency',
  'sequence-stuck': 'sequence-stuck',
  'guard-stuck': 'guard-stuck',
  'lock-overdue': 'lock-overdue',
  'run-blocked': 'run-blocked',
  'run-under-way': 'run-under-way',
  'watcher-blind': 'watcher-blind',
  'sweep-overdue': 'sweep-overdue',
  'objects-unreadable': 'objects-unreadable',
  'notify-failing': 'notify-failing',
} as const satisfies { readonly [Kind in TroubleKind]: Kind };

export const StoredKey = z.looseObject({ cluster: z.string(), pool: z.string(), kind: z.enum(troubleKinds) });

const TroubleClass = z.enum(['structural', 'self-healing', 'external', 'unknown']);
const Severity = z.enum(['critical', 'high', 'warning', 'info']);
/** Until November 2026 `possible` was stored as `guess`. */
const Confidence = z
  .enum(['certain', 'strong', 'likely', 'possible', 'guess'])
  .transform((stored) => (stored === 'guess' ? 'possible' : stored));
const ObjectRef = z.looseObject({
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
  argocd: z.string().optional(),
  project: z.string().optional(),
});

const StoredFinding: z.ZodType<Finding> = z.looseObject({
  code: z.string(),
  subject: ObjectRef,
  sentence: z.string(),
  confidence: Confidence,
  class: TroubleClass,
  evidence: z.array(z.looseObject({ ref: ObjectRef, path: z.string(), value: z.string(), readAt: z.string() })),
  get because() {
    return z.array(StoredFinding);
  },
  remedies: z.array(
    z.looseObject({
      title: z.string(),
      command: maybeText,
      risk: z.enum(['none', 'low', 'outage', 'data-loss']),
      undo: maybeText,
      who: z.enum(['platform', 'application owner', 'storage', 'vendor']),
    }),
  ),
});

const StoredTrouble = z.looseObject({
  key: StoredKey,
  severity: Severity,
  class: TroubleClass,
  headline: z.string(),
  since: z.string(),
  findings: z.array(StoredFinding),
  facts: z.array(z.looseObject({ label: z.string(), value: z.string() })),
  digest: z.string(),
  asksApproval: maybeText,
  acts: maybe(z.array(z.string())),
  mentions: maybe(z.array(z.string())),
  paused: maybe(z.array(z.looseObject({ sequence: z.string(), who: z.string() }))),
  syncs: maybe(z.array(z.looseObject({ hold: z.string(), uid: maybeText, startedAt: maybeText }))),
});

const noteKinds = {
  opened: 'opened',
  reopened: 'reopened',
  changed: 'changed',
  escalated: 'escalated',
  reminder: 'reminder',
  flapping: 'flapping',
  attended: 'attended',
  unattended: 'unattended',
  resolved: 'resolved',
} as const satisfies { readonly [Kind in NoteKind]: Kind };

const StoredDelivery = z.looseObject({
  wantedSeq: z.number(),
  deliveredSeq: z.number(),
  threadSeq: z.number(),
  fromSeq: maybe(z.number()),
  postedSeq: maybe(z.number()),
  triedSeq: maybe(z.number()),
  isFixed: maybe(z.literal(true)),
  announced: z.boolean(),
  claim: maybe(z.looseObject({ owner: z.string(), until: z.string() })),
  remote: maybe(z.looseObject({ channel: z.string(), id: z.string() })),
  doubtful: maybe(
    z.looseObject({
      deliveryId: z.string(),
      since: z.string(),
      part: z.enum(['parent', 'thread']),
      seq: z.number(),
      occasion: z.enum({ ...noteKinds, refreshed: 'refreshed' }),
      list: maybe(z.number()),
      listNews: maybe(z.array(z.string())),
    }),
  ),
  attempts: z.number(),
  retryAt: maybeText,
  waitsSince: maybeText,
  turnAt: maybeText,
  lastError: maybeText,
  lost: maybe(z.looseObject({ count: z.number(), by: z.enum(['post', 'edit', 'reply']), why: z.string() })),
  listWanted: maybe(z.number()),
  listShown: maybe(z.number()),
  listNews: maybe(z.array(z.string())),
  returned: maybe(
    z.array(
      z.looseObject({
        address: z.string(),
        kind: z.enum(['bounce', 'complaint']),
        why: z.string(),
        at: z.string(),
        mail: maybeText,
        inARow: maybe(z.number()),
        refused: maybe(z.literal(true)),
      }),
    ),
  ),
  repeatAt: maybeText,
  rings: maybe(z.looseObject({ current: z.number(), former: z.array(z.number()), quietedAt: maybe(z.number()) })),
  dead: z.boolean(),
});

export const StoredIncident = z.looseObject({
  key: StoredKey,
  version: z.number(),
  state: z.enum(['ok', 'pending', 'firing', 'resolving']),
  number: z.number(),
  since: maybeText,
  openedAt: maybeText,
  resolvedAt: maybeText,
  goneSince: maybeText,
  goodReadsGone: z.number(),
  outcome: maybe(z.enum(['fixed', 'superseded', 'subject-removed', 'closed-by-person'])),
  endedBy: maybeText,
  trouble: maybe(StoredTrouble),
  cause: maybe(StoredTrouble),
  otherCauseSince: maybeText,
  staleSince: maybeText,
  staleWhy: maybeText,
  inhibitedBy: maybeText,
  wishes: maybe(z.array(z.string())),
  attention: maybe(
    z.looseObject({
      kind: z.enum(['acknowledged', 'snoozed']),
      by: z.string(),
      reason: z.string(),
      at: z.string(),
      until: z.string(),
      severity: Severity,
      digest: z.string(),
      warned: z.boolean(),
    }),
  ),
  earlier: maybe(
    z.array(
      z.looseObject({
        ...{ cause: z.string(), until: z.string(), parts: z.number(), manyAt: maybeText, taken: maybe(z.number()) },
        back: maybe(z.number()),
      }),
    ),
  ),
  flapping: z.boolean(),
  flappingFor: maybe(z.array(z.string())),
  flappingAt: maybe(Severity),
  severities: maybe(
    z.array(
      z.looseObject({
        severity: Severity,
        rose: maybe(z.literal(true)),
        toldAt: maybeText,
        fellAt: maybeText,
        backSince: maybeText,
      }),
    ),
  ),
  heard: maybe(z.array(z.looseObject({ owner: z.string(), goneSince: maybeText }))),
  passing: maybe(z.array(z.looseObject({ cause: z.string(), since: z.string(), goneSince: maybeText }))),
  transitions: z.array(z.string()),
  reopened: z.number(),
  seq: z.number(),
  remindersSent: z.number(),
  nextReminderAt: maybeText,
  lastEditAt: maybeText,
  notes: z.array(
    z.looseObject({
      ...{ seq: z.number(), at: z.string(), kind: z.enum(noteKinds), text: z.string() },
      joins: maybe(z.literal(true)),
    }),
  ),
  deliveries: z.record(z.string(), StoredDelivery),
}) satisfies z.ZodType<Incident>;
