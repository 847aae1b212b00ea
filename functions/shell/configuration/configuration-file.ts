import * as z from 'zod';
import {
  defaultAcknowledgeForSeconds,
  defaultPoolSettings,
  defaultRelay,
} from '../../core/configuration/configuration.ts';
import { causeOf } from '../../core/diagnose/catalogue.ts';
import { durationText } from './duration.ts';
import { count, duration, listOf, mapping, matching, name, objectName, secret, url, yesOrNo } from './fields.ts';
import { ClusterPolicyFile, CommonPolicyFile } from './policy-file.ts';

const pool = mapping({
  protection: z
    .enum(['observe', 'react', 'handshake', 'admission'], {
      error: 'must be one of observe, react, handshake, admission',
    })
    .default(defaultPoolSettings.protection)
    .describe(
      'observe: alerts only. react: pushes and syncs pause. handshake: a PreSync Job waits for the confirmed pause. admission: as react, and the API server refuses a change of what the pool renders while it is not paused.',
    ),
  manageRequired: yesOrNo(
    'Must be true before Poolkeeper pauses a pool that cluster upgrades wait for (master, arbiter, pools labelled required-for-upgrade).',
    defaultPoolSettings.manageRequired,
  ),
  wave: count(-1000, 1000)
    .default(defaultPoolSettings.wave)
    .describe('Resume order: lower waves first, equal waves together.'),
  pauseFor: z
    .enum(['any', 'disruptive'], { error: 'must be one of any, disruptive' })
    .default(defaultPoolSettings.pauseFor)
    .describe(
      'any: every change that is rendered for the pool pauses it. disruptive: a push that certainly does nothing to its nodes, neither a reload nor a restart nor more, does not.',
    ),
  drainable: z
    .enum(['off', 'warn', 'block'], { error: 'must be one of off, warn, block' })
    .default(defaultPoolSettings.drainable)
    .describe(
      'What is done about drains that will block, found before the pool resumes. warn: it resumes and says so. block: it stays paused until nothing blocks. off: nobody looks.',
    ),
  pauseMachineHealthChecks: yesOrNo(
    'Pause the MachineHealthChecks of its machines while its nodes roll after Poolkeeper resumed it. Needs `poolkeeper manifests --pause-health-checks`.',
    defaultPoolSettings.pauseMachineHealthChecks,
  ),
});

const cluster = mapping({
  name: name().describe('What people call the cluster; part of every alert.'),
  api: mapping({
    server: url('the URL of the API server').describe('URL of the API server.'),
    ca: z
      .string({ error: 'must be certificates in PEM' })
      .optional()
      .describe('Certificate authority of the API server, PEM. Without it the system authorities count.'),
    caFile: z
      .string({ error: 'must be the path of a PEM file' })
      .optional()
      .describe('The same from a file, relative to poolkeeper.yaml. Read when the configuration is checked.'),
    tokenSecret: secret('Bearer token of our service account'),
    skipTLSVerify: yesOrNo('Do not verify the certificate of the API server. Refused except on loopback.', false),
  }).describe('How the API server is reached.'),
  policy: ClusterPolicyFile.optional().describe('What is different on this cluster from the common policy.'),
  pools: z
    .record(objectName(), pool, { error: 'must be a mapping of pool names to their settings' })
    .default({})
    .describe('By pool name. A pool without an entry has the defaults.'),
});

const relay = mapping({
  url: url("the address of argocd-server's webhook").describe(
    "Address of argocd-server's webhook, `https://<argocd-server>/api/webhook`.",
  ),
  applicationSetUrl: url("the address of the ApplicationSet controller's webhook")
    .optional()
    .describe(
      "Address of the ApplicationSet controller's webhook, a server of its own: `https://<its route>/api/webhook`. Without it only polling tells ApplicationSets of a push.",
    ),
  ca: z
    .string({ error: 'must be certificates in PEM' })
    .optional()
    .describe('Certificate authority of both, PEM. Without it the system authorities count.'),
  caFile: z
    .string({ error: 'must be the path of a PEM file' })
    .optional()
    .describe('The same from a file, relative to poolkeeper.yaml. Read when the configuration is checked.'),
  waitAtMost: duration({ least: '1s', most: '10m' })
    .optional()
    .meta({
      description:
        'How long a push is held back until the pause of its pools is confirmed. Then it goes on all the same and is told as late.',
      default: durationText(defaultRelay.waitAtMostSeconds),
    }),
  sendAgainAfter: duration({ least: '10s', most: '15m' })
    .optional()
    .meta({
      description:
        'It goes on a second time after this, because Argo CD may drop a refresh that it is asked for while another one runs.',
      default: durationText(defaultRelay.sendAgainAfterSeconds),
    }),
});

const argocd = mapping({
  name: name().describe("Name of the instance; `poolkeeperInstance` in its notifications' context."),
  cluster: name().describe('Cluster it runs in, by its name above. Destinations `in-cluster` mean this one.'),
  namespaces: listOf(objectName(), 'must be a list of namespaces')
    .min(1, { error: 'must be a list of at least one namespace' })
    .default(['openshift-gitops'])
    .describe('Namespaces in which its Applications live.'),
  controllerNamespace: objectName()
    .optional()
    .describe('Namespace of its application controller. Default: the first of namespaces.'),
  destinations: listOf(
    mapping({
      server: z
        .string({ error: 'must be the URL the Application names as its destination' })
        .optional()
        .describe('Server URL as the Application names it. Either this or name.'),
      name: z
        .string({ error: 'must be the name the Application names as its destination' })
        .optional()
        .describe('Destination name as the Application names it. Either this or server.'),
      cluster: name().describe('The cluster that is meant, by its name above.'),
    }),
    'must be a list of destinations',
  )
    .default([])
    .describe(
      'Which cluster a destination means, by server or by name. `in-cluster`, https://kubernetes.default.svc and the name and server of every cluster are understood without an entry.',
    ),
  relay: relay
    .optional()
    .describe(
      'GitHub delivers to Poolkeeper alone, which lets this Argo CD have each push once its pools are confirmed paused.',
    ),
});

const causeMust = 'must be a list of codes of docs/causes.md, like P3';
const zoneMust = 'must be the name of a time zone, like Europe/Berlin';

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    // Offsets and abbreviations are understood too, and know nothing of summer time.
    return name.includes('/') || name === 'UTC';
  } catch {
    return false;
  }
}

const slackButtons = mapping({
  signingSecret: secret("Signing secret of the Slack App (Basic Information, App Credentials); not the app's token"),
  team: matching(/^[TE][A-Z0-9]{6,20}$/, 'must be the id of the workspace (T0123456789)').describe(
    'Id of the workspace, or of the organisation (E0123456789) where the App is installed for all of it. Buttons pressed elsewhere are refused.',
  ),
  users: listOf(
    matching(/^[UW][A-Z0-9]{6,20}$/, 'must be the id of a person in Slack (U0123456789)'),
    'must be a list of ids of people',
  )
    .default([])
    .describe('Only these people, by id. Empty: everybody in a channel that is a target.'),
  acknowledgeFor: duration({ least: '5m', most: '72h' })
    .optional()
    .meta({
      description: 'How long an acknowledgement holds. Then reminders and escalation go on.',
      default: durationText(defaultAcknowledgeForSeconds),
    }),
});

const filter = mapping({
  clusters: listOf(name(), 'must be a list of cluster names').default([]).describe('Only these clusters. Empty: all.'),
  pools: listOf(objectName(), 'must be a list of pool names').default([]).describe('Only these pools. Empty: all.'),
  severities: listOf(
    z.enum(['critical', 'high', 'warning', 'info'], { error: 'must be one of critical, high, warning, info' }),
    'must be a list of severities',
  )
    .default([])
    .describe('Only these severities. Empty: all.'),
  causes: listOf(
    z.string({ error: causeMust }).refine((code) => causeOf(code) !== undefined, { error: causeMust }),
    'must be a list of codes of causes',
  )
    .default([])
    .describe(
      'Only incidents with one of these root causes, by their codes in docs/causes.md. Empty: all. An incident whose cause is not known yet passes no such list.',
    ),
})
  .prefault({})
  .describe('Which incidents this target hears of.');

const timeOfDay = () =>
  matching(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day in quotes, like "22:00" or "07:30"');

const quietHours = mapping({
  from: timeOfDay().describe('Begin, as "22:00". Later than to: over midnight.'),
  to: timeOfDay().describe('End, as "07:00".'),
  zone: z
    .string({ error: zoneMust })
    .refine(isZone, { error: zoneMust })
    .describe('Time zone by its IANA name, as Europe/Berlin. Summer time is taken care of.'),
  weekends: yesOrNo('The whole of Saturday and Sunday too.', false),
});

/** What every target may have. */
const basics = {
  filter,
  quietHours: quietHours
    .optional()
    .describe(
      'Hours in which this target gets pages only, i.e. incidents of severity critical and high. The rest waits for the end, and what is over by then is not told.',
    ),
  escalateAfter: duration({ least: '0s', most: '168h' }).optional().meta({
    description:
      'Hears of an incident only when nobody has acknowledged it for so long after its opening. Targets with rising times are a ladder.',
    default: '0s',
  }),
};

const targetName = name().describe(
  'Name of the target, used to remember what it was told. Keep it when the target moves.',
);

const bare = '[^\\s@<>,;:"\\\\]+@[^\\s@<>,;:"\\\\]+';

const address = matching(new RegExp(`^${bare}$`), 'must be an e-mail address');

const sender = matching(
  new RegExp(`^(?:${bare}|[^\\s@<>,;:"\\\\][^@<>,;:"\\\\\\r\\n]{0,80} <${bare}>)$`),
  'must be an e-mail address, or a name and the address in <>',
);

const target = z.discriminatedUnion(
  'kind',
  [
    mapping({
      kind: z.literal('slack'),
      name: targetName,
      channel: matching(
        /^[CGD][A-Z0-9]{6,20}$/,
        "must be the id of the channel (C0123456789, below the channel's details in Slack), not its name",
      ).describe('Id of the channel.'),
      tokenSecret: secret('Bot token'),
      apiUrl: url('the base URL of the Slack Web API')
        .default('https://slack.com/api/')
        .describe('Base URL of the Slack Web API.'),
      ...basics,
    }),
    mapping({
      kind: z.literal('slack-webhook'),
      name: targetName,
      urlSecret: secret('URL of the incoming webhook'),
      ...basics,
    }),
    mapping({
      kind: z.literal('email'),
      name: targetName,
      from: sender.describe('Sender: an address, or a name and the address in <>. With SES a verified identity.'),
      to: listOf(address, 'must be a list of e-mail addresses')
        .min(1, { error: 'must be a list of at least one e-mail address' })
        .max(50, { error: 'must be a list of at most 50 e-mail addresses (the limit of one SES message)' })
        .describe('Receivers, at most 50.'),
      via: z
        .enum(['ses', 'smtp'], { error: 'must be one of ses, smtp' })
        .default('ses')
        .describe('ses on AWS; smtp elsewhere, with the URL in POOLKEEPER_SMTP_URL.'),
      ...basics,
    }),
    mapping({
      kind: z.literal('pagerduty'),
      name: targetName,
      routingKeySecret: secret('Integration key of a service with an Events API v2 integration'),
      eventsUrl: url('the address where PagerDuty takes events')
        .default('https://events.pagerduty.com/v2/enqueue')
        .describe('Where events are enqueued; `https://events.eu.pagerduty.com/v2/enqueue` in the EU service region.'),
      ...basics,
    }),
    mapping({
      kind: z.literal('alertmanager'),
      name: targetName,
      url: url('the base URL of an Alertmanager').describe('Base URL, to which `/api/v2/alerts` is added.'),
      bearerSecret: secret('Bearer token').optional(),
      ...basics,
    }),
    mapping({
      kind: z.literal('webhook'),
      name: targetName,
      url: url('the address that takes CloudEvents').describe(
        'Gets one CloudEvent (1.0, structured JSON) for each piece of news, at least once.',
      ),
      bearerSecret: secret('Bearer token').optional(),
      signingSecret: secret('Key of the signature in X-Poolkeeper-Signature-256').optional(),
      ...basics,
    }),
    mapping({ kind: z.literal('outbox'), name: targetName, ...basics }),
  ],
  {
    error: ({ code }) =>
      code === 'invalid_union'
        ? 'must be one of slack, slack-webhook, email, pagerduty, alertmanager, webhook, outbox'
        : 'must be a mapping of keys to values',
  },
);

const githubName = /[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})/.source;

const hook = mapping({
  repository: matching(
    new RegExp(`^${githubName}/(?!\\.{1,2}$)[A-Za-z0-9._-]{1,100}$`),
    'must be owner/name of a repository',
  )
    .optional()
    .describe('Repository of the webhook, owner/name. Either this or organization.'),
  organization: matching(new RegExp(`^${githubName}$`), 'must be the name of an organization')
    .optional()
    .describe('Organization of the webhook. Either this or repository.'),
  id: count(1, Number.MAX_SAFE_INTEGER).describe(
    "Id of the webhook: the number at the end of its settings page's address.",
  ),
});

const preview = mapping({
  clusterNames: z
    .enum(['show', 'hide'], { error: 'must be one of show, hide' })
    .default('hide')
    .describe(
      'show: clusters, Applications and holders are named in the comment. hide: they are only counted. Everybody who reads the repository reads the comment.',
    ),
  forks: z
    .enum(['nothing', 'status', 'comment'], { error: 'must be one of nothing, status, comment' })
    .default('status')
    .describe('What a pull request from a fork gets. status: a commit status and no comment.'),
});

/** What may stand in `poolkeeper.yaml`, strictly. */
export const ConfigurationFile = mapping({
  clusters: listOf(cluster, 'must be a list of clusters')
    .min(1, { error: 'must be a list of at least one cluster' })
    .describe('The clusters whose pools are kept.'),
  argocd: listOf(argocd, 'must be a list of Argo CD instances')
    .default([])
    // Named for editors: lengths of time below are read into seconds, and zod leaves out the default of what it
    // transforms.
    .meta({ description: 'The Argo CD instances whose syncs are watched.', default: [] }),
  policy: CommonPolicyFile.prefault({}).describe('How Poolkeeper decides, on every cluster.'),
  alerts: mapping({
    statusUrl: url('the URL of the status page')
      .optional()
      .describe('URL of the status page, for links in messages. Without it there are none.'),
    // Named for editors, as the Argo CD instances: lengths of time below are read into seconds.
    targets: listOf(target, 'must be a list of targets').default([]).meta({ description: 'Who is told.', default: [] }),
    slackButtons: slackButtons
      .optional()
      .describe(
        'Buttons below messages in Slack, which acknowledge, snooze and ask for a re-check, and the entrance POST /slack for them. Without it there are none.',
      ),
  })
    .prefault({})
    .describe('Alerts.'),
  github: mapping({
    api: url('the base URL of the GitHub REST API')
      .default('https://api.github.com')
      .describe('Base URL of the REST API; `https://<host>/api/v3` for an Enterprise Server.'),
    tokenSecret: secret('Token with the rights of what is asked for below')
      .optional()
      .describe(
        'Token: name or ARN of the secret in Secrets Manager; on one machine the name of an environment variable. Either this or app.',
      ),
    app: mapping({
      id: count(1, Number.MAX_SAFE_INTEGER).describe("Id of the App, from its settings' page."),
      privateKeySecret: secret('Private key of the App, PEM'),
    })
      .optional()
      .describe('The GitHub App that Poolkeeper signs in as. Either this or tokenSecret.'),
    readsChanges: yesOrNo(
      'Read the files that a push changes (Contents: read), so that only the pools concerned are paused. Without it what an Application manages decides.',
      true,
    ),
    hooks: listOf(hook, 'must be a list of webhooks')
      .default([])
      .describe(
        'The webhooks that deliver to Poolkeeper: pushes that GitHub could not deliver are asked for again. Without them only ticks and sweeps make up for those.',
      ),
    preview: preview
      .optional()
      .describe(
        'Pull requests are told what they would do, by a commit status and one comment. Without it they are not.',
      ),
  })
    .optional()
    .describe(
      'What is asked of GitHub: what a push changes, lost deliveries once more, and comments on pull requests. Without it GitHub only delivers.',
    ),
}).meta({ title: 'poolkeeper.yaml', description: 'Configuration of Poolkeeper.' });
export type ConfigurationFile = z.infer<typeof ConfigurationFile>;
