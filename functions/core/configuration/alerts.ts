import * as z from 'zod';
import {
  baseUrl,
  hour,
  listOf,
  mapping,
  matching,
  minute,
  name,
  objectName,
  oneOf,
  seconds,
  secret,
  timeZone,
  url,
  type Values,
  yesOrNo,
} from './fields.ts';

export const AlertFilter = mapping({
  clusters: listOf(name(), 'must be a list of cluster names').default([]).describe('Only these clusters. Empty: all.'),
  pools: listOf(objectName(), 'must be a list of pool names').default([]).describe('Only these pools. Empty: all.'),
  severities: listOf(oneOf('critical', 'high', 'warning', 'info'), 'must be a list of severities')
    .default([])
    .describe('Only these severities. Empty: all.'),
  causes: listOf(z.string({ error: 'must be a code of docs/causes.md, like P3' }), 'must be a list of codes of causes')
    .default([])
    .describe(
      'Only incidents with one of these root causes, by their codes in docs/causes.md. Empty: all. An incident whose cause is not known yet is not let through.',
    ),
});
export type AlertFilter = Values<typeof AlertFilter>;

const timeOfDay = () =>
  matching(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day in quotes, like "22:00" or "07:30"');

/** Hours of the wall clock in a zone. */
export const QuietHours = mapping({
  from: timeOfDay().describe('Begin, as "22:00". Later than to: over midnight.'),
  to: timeOfDay().describe('End, as "07:00".'),
  zone: timeZone().describe('Time zone by its IANA name, as Europe/Berlin. Summer time is taken care of.'),
  weekends: yesOrNo('The whole of Saturday and Sunday too.', false),
});
export type QuietHours = Values<typeof QuietHours>;

/** What every target may have. */
const basics = {
  filter: AlertFilter.prefault({}).describe('Which incidents this target gets.'),
  quietHours: QuietHours.optional().describe(
    'Hours in which this target gets pages only, i.e. incidents of severity critical and high. The rest waits for the end, and what is over by then is not sent.',
  ),
  escalateAfterSeconds: seconds(0, 168 * hour)
    .optional()
    .meta({
      description:
        'Gets an incident only when nobody has acknowledged it for this long after its opening. Targets with rising times are an escalation ladder.',
      default: 0,
    }),
};

const targetName = name().describe(
  'Name under which it is remembered what the target was sent. Keep it when the channel or address changes.',
);

const bare = '[^\\s@<>,;:"\\\\]+@[^\\s@<>,;:"\\\\]+';

const address = matching(new RegExp(`^${bare}$`), 'must be an e-mail address');

const sender = matching(
  new RegExp(`^(?:${bare}|[^\\s@<>,;:"\\\\][^@<>,;:"\\\\\\r\\n]{0,80} <${bare}>)$`),
  'must be an e-mail address, or a name and the address in <>',
);

export const AlertTarget = z.discriminatedUnion(
  'kind',
  [
    mapping({
      kind: z.literal('slack'),
      name: targetName,
      /** Names are not accepted by chat.update. */
      channel: matching(
        /^[CGD][A-Z0-9]{6,20}$/,
        "must be the id of the channel (C0123456789, below the channel's details in Slack), not its name",
      ).describe('Id of the channel.'),
      tokenSecret: secret('Bot token'),
      /** Only tests and the emulator change it. */
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
      via: oneOf('ses', 'smtp')
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
      /** Undefined: the body is not signed. */
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
export type AlertTarget = Values<typeof AlertTarget>;

const people = () =>
  listOf(
    matching(/^[UW][A-Z0-9]{6,20}$/, 'must be the id of a person in Slack (U0123456789)'),
    'must be a list of ids of people',
  ).default([]);

/** The buttons of Slack messages, which acknowledge, snooze and ask for a re-check. Only a freeze, which makes safer,
 *  and the steering of sequences change a cluster, and only for listed people. */
const SlackButtons = mapping({
  signingSecret: secret("Signing secret of the Slack App (Basic Information, App Credentials); not the app's token"),
  team: matching(/^[TE][A-Z0-9]{6,20}$/, 'must be the id of the workspace (T0123456789)').describe(
    'Id of the workspace, or of the organisation (E0123456789) where the App is installed for all of it. Buttons pressed elsewhere are refused.',
  ),
  users: people().describe('Only these people, by id. Empty: everybody in a channel that is a target.'),
  mayFreeze: people().describe(
    'These people, by id, may freeze the pool or the cluster of an incident with a menu below its message, and hold or freeze pools by command, for a day at most. Empty: nobody, and there is no menu.',
  ),
  mayResume: people().describe(
    'These people, by id, may resume and thaw pools by command, after which nodes may reboot. Empty: nobody.',
  ),
  maySteer: people().describe(
    'These people, by id, may pause, continue, skip steps of and abort the sequences of an incident with a menu below its message, and start, pause, continue and abort runs by command. Empty: nobody, and there is no menu. Nothing else that changes a cluster can be asked for in Slack.',
  ),
  /** A shift's half: long enough to mend most causes, short enough to be asked again before going home. */
  acknowledgeForSeconds: seconds(5 * minute, 72 * hour)
    .default(4 * hour)
    .describe('How long an acknowledgement holds. Then reminders and escalation go on.'),
});
export type SlackButtons = Values<typeof SlackButtons>;

export const AlertSettings = mapping({
  statusUrl: baseUrl('the URL of the status page')
    .optional()
    .describe('URL of the status page, for links in messages. Without it there are none.'),
  targets: listOf(AlertTarget, 'must be a list of targets').default([]).describe('Who gets alerts.'),
  /** Undefined: nobody may press one. */
  slackButtons: SlackButtons.optional().describe(
    'Buttons below messages in Slack, which acknowledge, snooze and ask for a re-check, and the entrance POST /slack for them. Without it there are none.',
  ),
});
export type AlertSettings = Values<typeof AlertSettings>;

export const Alerts = AlertSettings.prefault({}).describe('Alerts.');
