import type { Approve } from '../configuration/approve.ts';
import { changeWords } from '../openshift/change-name.ts';
import { applicationOfHold } from '../openshift/hold.ts';
import { counted, listed } from '../text/phrases.ts';
import { poolkeeperCommand } from '../text/shell-words.ts';
import { type ApprovalCount, countApprovals } from './approvals.ts';
import { changeToApprove } from './change-to-approve.ts';
import {
  type ClosedGate,
  closed,
  type Gate,
  type GateAnswer,
  type GateQuestion,
  open,
  pausedAtMost,
  unread,
  unseen,
} from './gate.ts';
import { image } from './image.ts';
import { rolloutOf } from './rollout.ts';

/** Enough people of the pool's list have approved exactly this rendered config, in image mode with exactly this image,
 *  also where it is one that was there before. A pool of which no node would go anywhere needs no approval. */
export const approval: Gate = { name: 'approval', inEmergency: 'passed', ask, timeout: pausedAtMost };

function ask(question: GateQuestion): GateAnswer {
  const { pool, settings, release, rolledOut, now, evidence } = question;
  if (!needsApproval(question)) return open;
  const rollout = rolloutOf(question);
  if (rollout.kind === 'none') return open;
  // Nobody is asked for what may be nothing.
  if (rollout.kind !== 'rolls') return rollout.answer;
  const { approve } = settings;
  const after = failureText(release?.afterFailed);
  if (approve === undefined) return nobodyNamed(pool.name, after);
  const { approvals } = evidence;
  const threshold = counted(approve.needed, 'approval');
  if (approvals.kind === 'not-asked') return unread('who has approved it', threshold, 'approvals');
  if (approvals.kind === 'unreadable')
    return unseen({
      why: `who has approved it could not be read: ${approvals.why}`,
      value: 'unreadable',
      threshold,
      opens: 'the next successful read of the approvals',
      who: 'Poolkeeper, by itself',
    });
  const change = changeOf(question, threshold);
  if (typeof change !== 'string') return change;
  const count = countApprovals({ approve, change, release, approvals: approvals.value, rolledOut, now });
  if (count.missing === 0) return { open: true, because: `approved by ${listed(count.given.map(approverText), 10)}` };
  return closed({
    why: `${after}${change} needs ${counted(count.needed, 'approval')}: ${givenText(count)}`,
    value: `${count.given.length} of ${counted(count.needed, 'approval')}`,
    threshold: counted(count.needed, 'approval'),
    ...openedBy(count, approve),
    ...(count.open.length < count.missing ? {} : { how: approveCommand(question, change) }),
    approves: change,
    ...(count.excluded.length === 0 ? {} : { excludes: count.excluded }),
  });
}

/** What people are asked to approve; a closed gate where that is not known yet. */
function changeOf(question: GateQuestion, threshold: string): string | ClosedGate {
  const { pool, evidence } = question;
  const { images } = evidence;
  if (images.kind === 'not-asked') return unread('which image it rolls out', threshold, 'images');
  if (images.kind === 'unreadable')
    return unseen({
      why: `which image it rolls out could not be read: ${images.why}`,
      value: 'unreadable',
      threshold,
      opens: 'the next successful read of the MachineOSConfigs and MachineOSBuilds',
      who: 'Poolkeeper, by itself',
    });
  const built = image.ask(question);
  if (!built.open) return noImage(question, threshold, built);
  const found = changeToApprove(pool, images.value);
  if (found.kind === 'known') return found.change;
  const who = 'the Machine Config Operator, or whoever may change its MachineOSConfig';
  const answer = noImage(question, threshold, { why: found.why, opens: 'an image that is built for it', who });
  return found.isUnread === true ? unseen(answer) : answer;
}

function noImage(
  { pool }: Pick<GateQuestion, 'pool'>,
  threshold: string,
  { why, opens, who }: Pick<ClosedGate, 'why' | 'opens' | 'who'>,
): ClosedGate {
  return closed({
    why: `nobody is asked to approve ${pool.target.name} before its image is there: ${why}`,
    value: 'no image yet',
    threshold,
    opens: `${opens}; then people are asked`,
    who,
  });
}

/** Without the cluster it asks the status page which of them is meant. */
function approveCommand({ cluster, pool }: Pick<GateQuestion, 'cluster' | 'pool'>, change: string): string {
  const of = cluster === undefined ? ['--status', 'https://...'] : ['--cluster', cluster];
  return `${poolkeeperCommand('approve', ...of, '--pool', pool.name, '--config', change)} --reason "..."`;
}

/** Whether the pool rolls out only with approvals: always by its settings, or because a sync has failed. */
function needsApproval({ settings: { approve }, release }: Pick<GateQuestion, 'settings' | 'release'>): boolean {
  return approve?.when === 'always' || (release?.afterFailed ?? []).length > 0;
}

/** `slack:U0123456789 (alice)`. */
export function approverText({ who, name }: ApprovalCount['given'][number]): string {
  return name === '' || name === who ? who : `${who} (${name})`;
}

/** Who approved so far, and whose approval does not count any more. */
export function givenText({ given, spent, spentBy }: Pick<ApprovalCount, 'given' | 'spent' | 'spentBy'>): string {
  const counts = given.length === 0 ? 'nobody has approved' : `${listed(given.map(approverText), 5)} approved`;
  if (spentBy === undefined || spent.length === 0) return counts;
  const earlier = listed(
    spent.map((each) => `${approverText(each)} approved it at ${each.at}`),
    3,
  );
  return `${counts}; ${earlier}, before ${changeWords(spentBy.change)} was rolled out: that does not count again`;
}

function nobodyNamed(pool: string, after: string): GateAnswer {
  return closed({
    why: `${after}and nobody is named who may approve`,
    value: 'nobody may approve',
    threshold: '1 approval',
    opens: `approve for pool ${pool} in poolkeeper.yaml`,
    who: 'whoever may change poolkeeper.yaml',
  });
}

function failureText(failed: readonly string[] | undefined): string {
  if (failed === undefined || failed.length === 0) return '';
  return `the sync of ${listed(failed.map(applicationText), 2)} failed or was cut off, `;
}

function applicationText(hold: string): string {
  const application = applicationOfHold(hold);
  return application === undefined ? hold : `${application.namespace}/${application.name}`;
}

function openedBy({ missing, open: people, excluded, isPusherUnknown, unpushed }: ApprovalCount, { by }: Approve) {
  const what = unpushed.length === 0 ? 'it' : `what ${listed(unpushed, 3)} has synced`;
  const more = [
    ...(excluded.length === 0 ? [] : [`not ${listed(excluded, 3)}, who pushed it`]),
    ...(isPusherUnknown ? [`one more than usual, because it is not known who pushed ${what}`] : []),
  ];
  const remarks = more.length === 0 ? '' : ` (${more.join('; ')})`;
  if (people.length < missing)
    return {
      opens: `more people in approve.by: ${people.length} are left and ${missing} are needed${remarks}`,
      who: 'whoever may change poolkeeper.yaml',
    };
  return {
    opens: `${counted(missing, 'more approval')}${remarks}, in Slack or on the command line`,
    who: by.length === 1 ? by.join() : `${missing} of ${listed(people, 5)}`,
  };
}
