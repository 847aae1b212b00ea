import * as z from 'zod';
import type { Configuration } from '../../core/configuration/configuration.ts';

/** The checked configuration with every default filled in, as it lies in a bundle. Checked again on reading because the
 *  function and the file may come from different versions. */

/** JSON drops what is undefined; the key is required all the same. */
function known<Inner extends z.ZodType>(inner: Inner) {
  return inner.optional().transform((value) => value);
}

const seconds = z.number().min(0);
const texts = z.array(z.string());

const policy = z.strictObject({
  expectSyncWithinSeconds: seconds,
  syncAtMostSeconds: seconds,
  failedAtMostSeconds: seconds,
  pausedAtMostSeconds: seconds,
  onSyncFailure: z.enum(['keep', 'resume']),
  onRefusedSync: z.enum(['tell', 'restart']),
  onOverride: z.enum(['respect', 'enforce']),
  confirmWithinSeconds: seconds,
  renderSettleSeconds: seconds,
  readChangeWithinSeconds: seconds,
  sweepEverySeconds: seconds,
  blindAfterMisses: z.int(),
  stuckAfter: z.strictObject({
    drainSeconds: seconds,
    applySeconds: seconds,
    rebootSeconds: seconds,
    pickupSeconds: seconds,
  }),
  alerting: z.strictObject({
    holdDownSeconds: seconds,
    keepFiringSeconds: seconds,
    reopenWithinSeconds: seconds,
    editEverySeconds: seconds,
    reminderSeconds: z.strictObject({ critical: z.array(seconds), other: z.array(seconds) }),
    flapChanges: z.int(),
    flapWindowSeconds: seconds,
    flapCalmSeconds: seconds,
  }),
});

const filter = z.strictObject({
  clusters: texts,
  pools: texts,
  severities: z.array(z.enum(['critical', 'high', 'warning', 'info'])),
  causes: texts.optional(),
});

/** What every target may have. */
const basics = {
  name: z.string(),
  filter,
  quietHours: z.strictObject({ from: z.string(), to: z.string(), zone: z.string(), weekends: z.boolean() }).optional(),
  escalateAfterSeconds: seconds.optional(),
};

const target = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('slack'),
    channel: z.string(),
    tokenSecret: z.string(),
    apiUrl: z.string(),
    ...basics,
  }),
  z.strictObject({ kind: z.literal('slack-webhook'), urlSecret: z.string(), ...basics }),
  z.strictObject({
    kind: z.literal('email'),
    from: z.string(),
    to: texts,
    via: z.enum(['ses', 'smtp']),
    ...basics,
  }),
  z.strictObject({
    kind: z.literal('pagerduty'),
    routingKeySecret: z.string(),
    eventsUrl: z.string(),
    ...basics,
  }),
  z.strictObject({ kind: z.literal('alertmanager'), url: z.string(), bearerSecret: z.string().optional(), ...basics }),
  z.strictObject({
    kind: z.literal('webhook'),
    url: z.string(),
    bearerSecret: z.string().optional(),
    signingSecret: z.string().optional(),
    ...basics,
  }),
  z.strictObject({ kind: z.literal('outbox'), ...basics }),
]);

export const PreparedConfiguration = z.strictObject({
  clusters: z.array(
    z.strictObject({
      name: z.string(),
      api: z.strictObject({
        server: z.string(),
        ca: known(z.string()),
        tokenSecret: z.string(),
        skipTLSVerify: z.boolean(),
      }),
      policy,
      pools: z.record(
        z.string(),
        z.strictObject({
          protection: z.enum(['observe', 'react', 'handshake', 'admission']),
          manageRequired: z.boolean(),
          wave: z.int(),
          pauseFor: z.enum(['any', 'disruptive']),
          drainable: z.enum(['off', 'warn', 'block']),
          pauseMachineHealthChecks: z.boolean(),
        }),
      ),
    }),
  ),
  argocd: z.array(
    z.strictObject({
      name: z.string(),
      cluster: z.string(),
      namespaces: texts,
      controllerNamespace: z.string(),
      destinations: z.array(
        z.strictObject({ server: z.string().optional(), name: z.string().optional(), cluster: z.string() }),
      ),
      relay: z
        .strictObject({
          url: z.string(),
          applicationSetUrl: z.string().optional(),
          ca: known(z.string()),
          waitAtMostSeconds: seconds,
          sendAgainAfterSeconds: seconds,
        })
        .optional(),
    }),
  ),
  alerts: z.strictObject({
    statusUrl: known(z.string()),
    targets: z.array(target),
    slackButtons: z
      .strictObject({ signingSecret: z.string(), team: z.string(), users: texts, acknowledgeForSeconds: seconds })
      .optional(),
  }),
  github: z
    .strictObject({
      api: z.string(),
      tokenSecret: z.string().optional(),
      app: z.strictObject({ id: z.int(), privateKeySecret: z.string() }).optional(),
      readsChanges: z.boolean(),
      hooks: z.array(
        z.strictObject({ repository: z.string().optional(), organization: z.string().optional(), id: z.int() }),
      ),
      preview: z
        .strictObject({ clusterNames: z.enum(['show', 'hide']), forks: z.enum(['nothing', 'status', 'comment']) })
        .optional(),
    })
    .optional(),
}) satisfies z.ZodType<Configuration>;
