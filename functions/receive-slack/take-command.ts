import { createHash } from 'node:crypto';
import * as z from 'zod';
import { cloudEvent } from '../../events/index.ts';
import { slackFallback, slackSections } from '../core/alerts/slack-text.ts';
import { channelReach } from '../core/alerts/targets.ts';
import { runsOf } from '../core/node-turns/run-plan.ts';
import { imageDigestOf } from '../core/openshift/change-name.ts';
import type { AskedRequest, ClusterRequest } from '../core/requests/asked-request.ts';
import { attentionEvent } from '../core/requests/attention-event.ts';
import type { ApprovalRequest, IncidentRequest, LookRequest } from '../core/requests/request.ts';
import { askedWords, said } from '../core/requests/slack-answers.ts';
import { takeApproval } from '../core/requests/take-approval.ts';
import { slackCommand, undoOfApproval } from '../core/requests/undo-of.ts';
import { mayAsk, mayReach, type Place, type Requester } from '../core/requests/who-may.ts';
import { byName } from '../core/text/by-name.ts';
import { duration } from '../core/text/durations.ts';
import { BadInput, Transient } from '../core/text/errors.ts';
import type { Reply } from '../shell/answer.ts';
import { parseAs } from '../shell/body.ts';
import { type CommandContext, type CommandWord, commandUsage, readCommand, type TypedCommand } from './command.ts';
import type { ReceiveSlackPorts } from './receive-slack-ports.ts';
import { signatureHoldsSeconds } from './require-signature.ts';

const id = z.string().regex(/^[A-Z0-9]{2,32}$/, 'is not a Slack id');

/** The fields in use of a slash command. Source: Slack, implementing slash commands. */
const SlashCommand = z.object({
  team_id: id.optional(),
  /** Empty for a workspace of its own. */
  enterprise_id: id.or(z.literal('')).optional(),
  channel_id: id,
  user_id: id,
  user_name: z.string().max(100).optional(),
  text: z.string().default(''),
  /** One for each time that somebody sends a command. */
  trigger_id: z.string().max(255).optional(),
});

type SlackRequester = Extract<Requester, { surface: 'slack' }>;

interface Sent {
  readonly requester: SlackRequester;
  /** The same, however often Slack sends it. */
  readonly id: string;
  readonly at: Date;
}

/** Answers a slash command, to the caller alone. What reaches clusters or reads more than the configuration is stored
 *  and queued, because Slack waits 3 s; its answer follows. Throws BadInput for what Slack does not send, and 403 for
 *  another workspace. */
export async function takeCommand(
  form: URLSearchParams,
  { signature, at }: { readonly signature: string; readonly at: Date },
  ports: ReceiveSlackPorts,
): Promise<Reply> {
  const slash = parseAs(SlashCommand, Object.fromEntries(form));
  const { channel_id: channel, user_id: user, user_name: name = '' } = slash;
  const workspaces = [slash.team_id, slash.enterprise_id].flatMap((each) =>
    each === undefined || each === '' ? [] : [each],
  );
  const requester = { surface: 'slack', who: name === '' ? user : name, user, workspaces, channel } as const;
  const { slackButtons } = ports.configuration.alerts;
  if (slackButtons === undefined || !workspaces.includes(slackButtons.team))
    throw new BadInput('commands are not allowed there', { status: 403 });
  // A request that Slack repeats is signed anew.
  const unique = slash.trigger_id ?? signature;
  const sent = { requester, at, id: createHash('sha256').update(unique).digest('hex').slice(0, 32) };
  const may = mayAsk('look', requester, ports.configuration.alerts);
  if (may.kind === 'refused') return refused(may.why, 'look', sent, ports);
  try {
    return await answerTo(readCommand(slash.text, contextOf(requester, ports)), sent, ports);
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    // Slack would show a number and no reason.
    ports.logger.warn('command could not be stored', { error: cause });
    return ephemeral('not stored', `⚠ It could not be stored, so nothing was done. Ask again in a minute.`);
  }
}

/** Lists what the channel hears of, and knows the rest, so that it is refused and not called unknown. */
function contextOf(
  { channel }: Pick<SlackRequester, 'channel'>,
  { configuration: { alerts, clusters, nodeTurns } }: ReceiveSlackPorts,
): CommandContext {
  const { hasCluster } = channelReach(alerts, channel);
  const names = clusters.map(({ name }) => name);
  return {
    clusters: names.filter(hasCluster),
    otherClusters: names.filter((name) => !hasCluster(name)),
    runs: new Map(names.flatMap((cluster) => runsOf(nodeTurns, cluster).map((run) => [run.name, cluster] as const))),
    acknowledgeForSeconds: alerts.slackButtons?.acknowledgeForSeconds ?? 3600,
  };
}

async function answerTo(typed: TypedCommand, sent: Sent, ports: ReceiveSlackPorts): Promise<Reply> {
  switch (typed.kind) {
    case 'help':
      return ephemeral('help', helpText(typed.about));
    case 'problem':
      return ephemeral(
        'not understood',
        `${said(typed.why, 600)}\n${said(`${slackCommand} help`, 40)} lists what there is.`,
      );
    case 'incident':
      return askOfIncident(typed.request, sent, ports);
    case 'approval':
      return approve(typed.request, sent, ports);
    case 'asked':
      return ask(typed, sent, ports);
    default:
      return typed satisfies never;
  }
}

/** As a press of the button below its message. */
async function askOfIncident(request: IncidentRequest, sent: Sent, ports: ReceiveSlackPorts): Promise<Reply> {
  const { requester, id } = sent;
  const may = mayAsk(request.kind, requester, ports.configuration.alerts);
  if (may.kind === 'refused') return refused(may.why, request.kind, sent, ports);
  const { channel, user, who: by } = requester;
  if (await ports.replays.isFirst(`slack/${id}`, 2 * signatureHoldsSeconds)) {
    const from = { id: `slack/${id}`, source: '/poolkeeper/receive-slack', by, answer: { channel, user } } as const;
    await ports.attention.send(attentionEvent(request, from, ports.clock()));
  }
  return ephemeral('queued', `PK-${request.incident}: ${incidentWords(request)}`);
}

function incidentWords(request: IncidentRequest): string {
  switch (request.kind) {
    case 'acknowledge':
    case 'snooze': {
      const word = request.kind === 'acknowledge' ? 'acknowledgement' : 'snooze';
      const time = duration(request.forSeconds);
      return `${word} asked for ${time}; its message shows it in a moment. It ends by itself, and earlier if it gets worse.`;
    }
    case 'recheck':
      return 'its cluster is looked at now.';
    case 'freeze-here':
      return 'the freeze is asked for.';
    default:
      return request satisfies never;
  }
}

/** Stored here, as a press: in the queue anybody who may send there could claim that Slack had signed it. */
async function approve(request: ApprovalRequest, sent: Sent, ports: ReceiveSlackPorts): Promise<Reply> {
  const { configuration, approvals, timeline } = ports;
  const taken = takeApproval(request, sent.requester, configuration, sent.at);
  if (taken.entry !== undefined) await timeline.append([taken.entry]);
  if (taken.kind === 'refused') return refused(taken.why, request.kind, sent, ports);
  const { kind, cluster, pool, config } = request;
  const place = `${cluster}/${pool}`;
  let isStored = true;
  for (const approval of taken.approvals) isStored = (await approvals.save(approval)) && isStored;
  // By another surface, or by a clock that runs ahead of Slack's: what was said last counts.
  if (!isStored)
    return ephemeral(
      'overtaken',
      said(
        `⚠ Not done: what you said of ${place}: ${config} elsewhere is newer, and counts. Ask again in a minute.`,
        700,
      ),
    );
  const did = kind === 'approve' ? 'approved' : 'no longer approved by you';
  const undo = said(undoOfApproval(request), 400);
  // The clusters are not read here: whether the pool has images is found out for the answer that follows.
  const isWithoutImage = kind === 'approve' && imageDigestOf(config) === undefined;
  const { excludePusher = false } = byName(configuration.clusters, cluster)?.pools[pool]?.approve ?? {};
  const isNotOfPusher = kind === 'approve' && excludePusher;
  if (isWithoutImage || isNotOfPusher) await lookAfter(request, sent, ports);
  const alone = isWithoutImage
    ? 'for that config alone, and in image mode for none: there CONFIG has the digest of its image'
    : 'for that config alone';
  const which = `and ${alone}: \`${said(`${slackCommand} approve ${place}`, 400)}\` shows which one waits`;
  return ephemeral(
    kind,
    `${said(`${place}: ${config} is ${did}`, 400)}. It counts with the next look, within a minute${isNotOfPusher ? ', unless you pushed it, which is told here' : ''}, ${which}.\nUndo: \`${undo}\``,
  );
}

/** Has whoever approved told if that counts for nothing. The approval is stored: a failure costs the answer alone. */
async function lookAfter(
  { cluster, pool, config }: ApprovalRequest,
  sent: Sent,
  ports: ReceiveSlackPorts,
): Promise<void> {
  try {
    await queue({ cluster, request: { kind: 'look', about: 'approval', name: pool, approved: config } }, sent, ports);
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    ports.logger.warn('what waits could not be asked for', { error: cause });
  }
}

async function ask(
  { cluster, request }: Extract<TypedCommand, { kind: 'asked' }>,
  sent: Sent,
  ports: ReceiveSlackPorts,
): Promise<Reply> {
  const { requester } = sent;
  const may = mayAsk(request.kind, requester, ports.configuration.alerts);
  if (may.kind === 'refused') return refused(may.why, request.kind, sent, ports);
  const place = placeOf(cluster, request, ports);
  const reach = place === undefined ? may : mayReach(place, requester, ports.configuration.alerts);
  if (reach.kind === 'refused') return refused(reach.why, request.kind, sent, ports);
  await queue({ cluster, request }, sent, ports);
  const words = askedWords(request, cluster);
  return ephemeral(
    'queued',
    request.kind === 'look' ? `⏳ ${words}` : `⏳ Asked: ${words}\nWhat comes of it follows here.`,
  );
}

/** Stored and queued. A request that Slack repeats is stored once, and carried out once. */
async function queue(
  { cluster, request }: Pick<AskedRequest, 'cluster' | 'request'>,
  { requester, id }: Sent,
  ports: ReceiveSlackPorts,
): Promise<void> {
  const { channel, user } = requester;
  const who = `${said(requester.who, 80)} (Slack ${user})`;
  const asked: AskedRequest = {
    id,
    version: 0,
    cluster,
    request,
    who,
    // By our clock, as what is decided here before and after it.
    at: ports.clock().toISOString(),
    answer: { channel, user },
    state: 'asked',
  };
  await ports.askedRequests.save(asked);
  await ports.requests.send(
    cloudEvent({
      type: 'poolkeeper.request.asked.v1',
      id: `slack/${id}`,
      source: '/poolkeeper/receive-slack',
      subject: cluster === '' ? request.kind : cluster,
      time: ports.clock(),
      correlation: `slack/${id}`,
      data: { id, cluster },
    }),
  );
}

/** Undefined: of no one place; what the channel hears of is answered. */
function placeOf(
  cluster: string,
  request: ClusterRequest,
  { configuration: { nodeTurns } }: Pick<ReceiveSlackPorts, 'configuration'>,
): Place | undefined {
  const ofRun = (name: string) => ({
    cluster,
    pools: runsOf(nodeTurns, cluster).flatMap((run) => (run.name === name ? run.pools : [])),
  });
  switch (request.kind) {
    case 'hold':
    case 'resume':
    case 'freeze':
    case 'thaw':
      return { cluster, pools: [request.pool] };
    case 'steer-run':
      return ofRun(request.run);
    case 'look':
      return placeOfLook(cluster, request, ofRun);
    default:
      return request satisfies never;
  }
}

function placeOfLook(cluster: string, { about, name }: LookRequest, ofRun: (run: string) => Place): Place | undefined {
  switch (about) {
    case 'status':
      return name === '' ? undefined : { cluster: name };
    case 'why':
    case 'approval':
      return cluster === '' ? undefined : { cluster, ...(name === '' ? {} : { pools: [name] }) };
    case 'run':
      return ofRun(name);
    default:
      return about satisfies never;
  }
}

function refused(why: string, kind: string, { requester }: Sent, { logger }: Pick<ReceiveSlackPorts, 'logger'>): Reply {
  logger.warn('command is refused', { kind, why, user: requester.user });
  const where = why.includes('channel') ? ' Ask in a channel that gets its messages.' : '';
  return ephemeral('refused', `🚫 Not done: ${said(why, 300)}.${where}`);
}

function helpText(about: CommandWord | undefined): string {
  const lines = Object.entries(commandUsage).flatMap(([word, { usage, about: words }]) =>
    about === undefined || about === word ? [`• \`${slackCommand} ${usage}\`  ${words}`] : [],
  );
  return [
    '*Poolkeeper*: answers are shown to you alone.',
    ...lines,
    'TIME is like `30m`, `2h`, `1h30m`. CLUSTER/ may be left out where there is only one. What changes a cluster is done for people whom the configuration lists, under their names.',
  ].join('\n');
}

/** `lines`: escaped mrkdwn. Source: Slack, message responses. */
function ephemeral(reason: string, lines: string): Reply {
  const body = { response_type: 'ephemeral', text: slackFallback(lines), blocks: slackSections(lines) };
  return { status: 200, reason, body };
}
