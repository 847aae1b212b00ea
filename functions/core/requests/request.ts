import * as z from 'zod';
import { attentionBounds } from '../alerts/attention-bounds.ts';
import { emergencyBounds, freezeBounds, freezeHereBounds, holdBounds } from './bounds.ts';

const spaces = /\s+/g;

/** One line: it is shown on the pool, in its events and in messages. */
const reason = (least: number) =>
  z
    .string()
    .transform((text) => text.replaceAll(spaces, ' ').trim())
    .pipe(
      z
        .string()
        .min(Math.min(least, 1), { error: 'is missing: why? It is shown on the pool and in its events', abort: true })
        .min(least, `is too short: at least ${least} characters`)
        .max(300, 'is too long: at most 300 characters'),
    );

const seconds = ({ least, most }: { readonly least: number; readonly most: number }) =>
  z.int(`must be between ${least} and ${most} seconds`).min(least).max(most);

const pool = z.string().min(1, 'is missing: which pool?').max(253);

/** Keep the pool paused. */
export const HoldRequest = z.object({
  kind: z.literal('hold'),
  pool,
  forSeconds: seconds(holdBounds),
  reason: reason(3),
});

/** Resume the pool, whatever its gates say. */
export const ResumeRequest = z.object({ kind: z.literal('resume'), pool, reason: reason(3) });

/** Freeze a pool, or with `pool` `*` each pool of a cluster, those that appear later included. */
export const FreezeRequest = z.object({
  kind: z.literal('freeze'),
  pool,
  forSeconds: seconds(freezeBounds),
  reason: reason(3),
});

/** End freezes of a pool, or with `pool` `*` of a cluster, before their time. */
export const ThawRequest = z.object({ kind: z.literal('thaw'), pool, reason: reason(3) });

/** Open the emergency lane of a pool. */
export const EmergencyRequest = z.object({
  kind: z.literal('emergency'),
  pool,
  forSeconds: seconds(emergencyBounds),
  reason: reason(3),
});

const episode = z.string().regex(/^[0-9a-f]{8}$/);

const aboutIncident = {
  /** `PK-<number>`. */
  incident: z.int().min(1).max(999_999_999),
  /** Empty for a button in Slack, which has no field for it. */
  reason: reason(0),
  /** Sequence of the message that the person acted on; absent: not sent from a message. */
  seenSeq: z.int().min(0).optional(),
  /** Which episode that message is of (`episodeOf`); absent: not sent from a message, or from one of an earlier
   *  version. */
  episode: episode.optional(),
};

/** Take the incident: somebody works on it. */
const AcknowledgeRequest = z.object({
  kind: z.literal('acknowledge'),
  ...aboutIncident,
  forSeconds: seconds(attentionBounds),
});

/** Silence the incident for a while, without anybody taking it. */
const SnoozeRequest = z.object({
  kind: z.literal('snooze'),
  ...aboutIncident,
  forSeconds: seconds(attentionBounds),
});

/** Read the cluster of the incident now. */
const RecheckRequest = z.object({ kind: z.literal('recheck'), ...aboutIncident });

/** Freeze the pool, or the cluster, of the incident. */
const FreezeHereRequest = z.object({
  kind: z.literal('freeze-here'),
  ...aboutIncident,
  forSeconds: seconds(freezeHereBounds),
  scope: z.enum(['pool', 'cluster']),
});

const objectName = z.string().regex(/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/, 'is missing, or not a Kubernetes name');

const aboutConfig = {
  cluster: objectName,
  pool: objectName,
  /** Name of the rendered config; in image mode with the digest of its image (`changeName`). */
  config: z
    .string()
    .regex(
      /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?:@sha256:[0-9a-f]{64})?$/,
      'is missing, or not a rendered config, with the whole digest of its image if it has one',
    ),
  /** Empty for a button in Slack. */
  reason: reason(0),
};

/** Let the pool roll out this rendered config, and this image of it, as far as its list of people is asked. */
const ApproveRequest = z.object({ kind: z.literal('approve'), ...aboutConfig });

/** Take that back. */
const RevokeRequest = z.object({ kind: z.literal('revoke'), ...aboutConfig });

export const ApprovalRequest = z.discriminatedUnion('kind', [ApproveRequest, RevokeRequest]);
export type ApprovalRequest = z.infer<typeof ApprovalRequest>;

/** Pause, continue or abort a sequence, or skip a step or gate of it. */
export const SteerRequest = z.object({
  kind: z.literal('steer-sequence'),
  act: z.enum(['pause', 'go-on', 'abort', 'skip']),
  sequence: objectName,
  /** Of a skip: the step or gate. */
  item: z.string().max(400).optional(),
  /** The incident whose message it was asked from. */
  incident: z.int().min(1).max(999_999_999),
  /** Where that incident is kept, and which episode of it the message is of; absent: a message of an earlier
   *  version. */
  shown: z.object({ cluster: z.string().min(1).max(63), episode }).optional(),
  reason: reason(3),
});
export type SteerRequest = z.infer<typeof SteerRequest>;

/** Start, pause, continue or abort a run of turns. */
export const SteerRunRequest = z.object({
  kind: z.literal('steer-run'),
  act: z.enum(['start', 'pause', 'go-on', 'abort']),
  run: objectName,
  reason: reason(3),
});
export type SteerRunRequest = z.infer<typeof SteerRunRequest>;

/** A question: how all is, why a pool is paused, what waits for approval there, how a run stands. */
export const LookRequest = z.object({
  kind: z.literal('look'),
  about: z.enum(['status', 'why', 'approval', 'run']),
  /** Of the cluster, the pool or the run; empty: of all. */
  name: z.string().max(253),
  /** What somebody has just approved in that pool: an answer comes only if that counts for nothing there. */
  approved: z.string().max(330).optional(),
});
export type LookRequest = z.infer<typeof LookRequest>;

export const IncidentRequest = z.discriminatedUnion('kind', [
  AcknowledgeRequest,
  SnoozeRequest,
  RecheckRequest,
  FreezeHereRequest,
]);
export type IncidentRequest = z.infer<typeof IncidentRequest>;

/** What a person asks Poolkeeper to do, on whatever surface: command line, Slack, HTTP. One more thing that people may
 *  ask for is one more kind here, one line in `who-may.ts` and one case where it is carried out. */
export const PersonRequest = z.discriminatedUnion('kind', [
  HoldRequest,
  ResumeRequest,
  FreezeRequest,
  ThawRequest,
  EmergencyRequest,
  IncidentRequest,
  ApprovalRequest,
  SteerRequest,
  SteerRunRequest,
  LookRequest,
]);
export type PersonRequest = z.infer<typeof PersonRequest>;
