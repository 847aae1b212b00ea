import { remedy } from '../diagnose/remedies.ts';
import { approvalPart, textPart } from '../findings/cause-key.ts';
import { evidence, finding, ref } from '../findings/make-finding.ts';
import { type Finding, keyText, type Trouble, type TroubleKind } from '../findings/trouble.ts';
import { approverText, givenText } from '../gates/approval.ts';
import { type ApprovalCount, countApprovals } from '../gates/approvals.ts';
import { recoveryHold } from '../holds/ownership.ts';
import { estimate, estimateText, minutesLeft } from '../impact/estimate.ts';
import { classWords } from '../machine-config/class-words.ts';
import { causeText, contentText } from '../machine-config/pending-text.ts';
import { changeWords, imageDigestOf } from '../openshift/change-name.ts';
import { type Hold, holdsAnnotation } from '../openshift/hold.ts';
import { holdersText } from '../openshift/holders.ts';
import { hasPendingChange, type Pool } from '../openshift/pool.ts';
import { standingHoldsOf } from '../openshift/pool-record.ts';
import { duration } from '../text/durations.ts';
import { isPast, plusSeconds } from '../text/instant.ts';
import { clipped, lastingText, listed } from '../text/phrases.ts';
import { poolkeeperCommand } from '../text/shell-words.ts';
import type { BlindSpot } from './blind-spot.ts';
import type { JudgeInput, ObservedPool } from './input.ts';
import { makeTrouble } from './make-trouble.ts';

const kinds: readonly TroubleKind[] = ['approval-needed'];
/** What gates before the next node of a run may have told. */
const unaskedKinds: readonly TroubleKind[] = [...kinds, 'paused-too-long'];

/** Changes that wait for people to approve them: what would roll out, who asked for it, and what happens if nobody
 *  answers. Nothing is asked before the change is rendered, and in image mode built, because what is approved is one
 *  rendered config with one image. */
export function approvalsNeeded(input: JudgeInput): readonly Trouble[] {
  if (input.pools.kind !== 'seen') return [];
  return input.pools.value.flatMap((observed) => {
    const { approval, waitsForRender } = observed;
    if (approval === undefined || approval.kind === 'unreadable' || waitsForRender === true) return [];
    const release = releaseOf(observed.pool);
    const { approve, approvals, rolledOut, gate } = approval;
    const change = gate?.approves;
    if (change === undefined) return [];
    const count = countApprovals({ approve, change, release, approvals, rolledOut, now: input.now });
    if (count.missing === 0) return [];
    return [neededTrouble(observed, { change, count }, approval, input)];
  });
}

/** Where the approvals could not be read, nobody knows whether one is missing; and until what a sync applies is
 *  rendered, nobody knows what will be asked after it. */
export function approvalsUnseen(observed: ObservedPool, cluster: string): readonly BlindSpot[] {
  const pool = observed.pool.name;
  if (observed.isUnasked === true)
    return [{ cluster, pool, kinds: unaskedKinds, why: 'its run was not looked at in this pass' }];
  const { lostRecord } = observed;
  if (lostRecord !== undefined)
    return [
      { cluster, pool, kinds: unaskedKinds, why: `its record is lost, and could not be put back: ${lostRecord}` },
    ];
  const why = whyUnseen(observed);
  return why === undefined ? [] : [{ cluster, pool, kinds, why }];
}

function whyUnseen({ approval, pool, waitsForRender }: ObservedPool): string | undefined {
  if (approval?.kind === 'unreadable') return approval.why;
  if (waitsForRender === true) return 'not asked before what a sync applied is rendered';
  const brief = approval === undefined ? holdersOf(pool).filter(isBrief) : [];
  return brief.length === 0 ? undefined : `not asked before the end of ${holdersText(brief)}`;
}

/** What is asked before it may be asked after it as well: nobody has decided otherwise. */
function isBrief({ id, kind }: Hold): boolean {
  return kind === 'sync' || id === recoveryHold;
}

/** Who keeps it paused, so that no gate is asked. */
function holdersOf(pool: Pool): readonly Hold[] {
  return pool.paused ? standingHoldsOf(pool) : [];
}

type Asked = Extract<NonNullable<ObservedPool['approval']>, { readonly kind: 'asked' }>;

/** What is to be approved (`changeName`), and by whom it has been. */
interface Needed {
  readonly change: string;
  readonly count: ApprovalCount;
}

function neededTrouble(observed: ObservedPool, needed: Needed, asked: Asked, input: JudgeInput): Trouble {
  const { pool, change } = observed;
  const { count } = needed;
  const { cluster, now } = input;
  const image = imageDigestOf(needed.change);
  const since = releaseOf(pool)?.since ?? now.toISOString();
  const means = change?.class === undefined ? '' : `, nodes ${classWords(change.class)}`;
  const more = count.given.length === 0 ? '' : ' more';
  const people = count.missing === 1 ? `1${more} approval` : `${count.missing}${more} approvals`;
  const trouble = makeTrouble({
    key: { cluster, pool: pool.name, kind: 'approval-needed' },
    severity: 'info',
    headline: `needs ${people} to roll out ${shortName(changeWords(needed.change))}${means}`,
    since,
    findings: [neededFinding(observed, needed, asked, input)],
    facts: [
      { label: 'Waiting for', value: lastingText(since, now.toISOString()) },
      ...(change === undefined ? [] : [{ label: 'Change', value: contentText(change) }]),
      ...(image === undefined ? [] : [{ label: 'Image', value: image }]),
      { label: 'Nodes', value: nodesText(pool, observed, asked) },
      { label: 'Asked by', value: askedBy(observed) },
      { label: 'Approvals', value: `${count.given.length} of ${count.needed}; ${whoText(count)}` },
    ],
  });
  // Another config or image, and each approval, is news.
  const given = count.given.map(({ who }) => approvalPart(who));
  const digest = [trouble.digest, textPart(needed.change), ...given].join(';');
  return { ...trouble, digest, asksApproval: needed.change };
}

function neededFinding(
  { pool }: ObservedPool,
  { change, count }: Needed,
  { approve, gate, windowOpensAt, run }: Asked,
  { cluster, now }: JudgeInput,
): Finding {
  const of = ref('MachineConfigPool', pool.name);
  const readAt = now.toISOString();
  const config = pool.target.name;
  const release = releaseOf(pool);
  const isFailed = (release?.afterFailed ?? []).length > 0;
  const failed = isFailed ? ' A sync failed or was cut off, and this is what it applied before.' : '';
  return finding({
    code: 'A10',
    subject: of,
    sentence: `${whatFollows(pool, changeWords(change), run)} once ${count.needed} of its people have approved it: ${givenText(count)}.${failed} ${silenceText(gate?.timeout)} An approval counts for ${duration(approve.expiresSeconds)}${expiryText(approve, windowOpensAt, now)}, and only for this ${imageDigestOf(change) === undefined ? 'config' : 'config with this image'}.`,
    confidence: 'certain',
    class: 'structural',
    evidence: [
      evidence(of, 'spec.configuration.name', config, readAt),
      evidence(of, 'status.configuration.name', pool.current.name, readAt),
      ...(isFailed
        ? [evidence(of, `metadata.annotations[${holdsAnnotation}].release.why`, clipped(release?.why ?? ''), readAt)]
        : []),
    ],
    remedies: [
      count.open.length < count.missing
        ? remedy(
            `Name more people under approve of pool ${pool.name} in poolkeeper.yaml: ${count.open.length} may still approve, and ${count.missing} are needed`,
            { who: 'platform' },
          )
        : remedy('Approve it, in Slack or with your own AWS credentials', {
            command: poolkeeperCommand(
              ...['approve', '--cluster', cluster, '--pool', pool.name, '--config', change],
              ...['--reason', '...'],
            ),
            risk: 'low',
          }),
      ...(hasPendingChange(pool)
        ? [remedy('Or revert the change in Git: then nothing is left to approve', { risk: 'low' })]
        : []),
    ],
  });
}

function whatFollows({ name, ...configs }: Pool, change: string, run: string | undefined): string {
  if (run !== undefined) return `Run ${run} takes the nodes of pool ${name} to ${change}, one after another,`;
  const what = hasPendingChange(configs) ? 'rolls out' : 'takes nodes with another config or image to';
  return `Pool ${name} is synced and paused, and ${what} ${change}`;
}

/** Which approvals are given in vain; empty: none is, or nobody knows. */
function expiryText({ expiresSeconds }: Asked['approve'], opensAt: string | undefined, now: Date): string {
  const from = opensAt === undefined ? undefined : plusSeconds(new Date(opensAt), -expiresSeconds);
  if (from === undefined || isPast(from, now)) return '';
  return `, so one that is given before ${from} has expired when its window opens`;
}

/** What happens if nobody answers. */
function silenceText(timeout: NonNullable<Asked['gate']>['timeout']): string {
  const paused = 'If nobody answers, it stays paused';
  if (timeout === undefined) return `${paused}.`;
  switch (timeout.action) {
    case 'wait':
      return `${paused}.`;
    case 'alert':
      return `${paused}, and an alert is sent at ${timeout.at}.`;
    case 'drop':
      return `${paused}, and Poolkeeper gives it up at ${timeout.at}: a person has to resume it then.`;
    case 'resume':
      return `If nobody answers, it rolls out without approval at ${timeout.at}.`;
    default:
      return timeout.action satisfies never;
  }
}

type Ending = readonly [key: string, words: string];

/** What ended the question, by its key: the approvals, another image that is being built, or somebody's hold. */
export function approvalEndings({ cluster, pools, now }: JudgeInput): readonly Ending[] {
  if (pools.kind !== 'seen') return [];
  return pools.value.flatMap(({ pool, approval }): readonly Ending[] => {
    const key = keyText({ cluster, pool: pool.name, kind: 'approval-needed' });
    const holders = approval === undefined ? holdersOf(pool) : [];
    if (holders.length > 0) return [[key, `It is not asked for during ${holdersText(holders)}.`]];
    if (approval?.kind !== 'asked') return [];
    const { approve, approvals, rolledOut, change, gate } = approval;
    if (gate !== undefined && gate.approves === undefined) return [[key, `It is not asked for now: ${gate.why}.`]];
    if (change === undefined) return [];
    const release = releaseOf(pool);
    const { missing, given } = countApprovals({ approve, change, release, approvals, rolledOut, now });
    if (missing > 0 || given.length === 0) return [];
    return [[key, `${changeWords(change)} was approved by ${listed(given.map(approverText))}.`]];
  });
}

/** `rendered-worker-5c1f9d6b`: what tells two configs apart at first sight. The finding has all of it. */
function shortName(words: string): string {
  return words.replace(/\b([0-9a-f]{8})[0-9a-f]{24}\b/, '$1');
}

function releaseOf({ record }: Pool) {
  return record.kind === 'record' ? record.record.release : undefined;
}

function whoText({ open, excluded, given }: ApprovalCount): string {
  const left = open.length === 0 ? 'nobody else may' : `${listed(open.map(firstName), 4)} may`;
  const pushed = excluded.length === 0 ? '' : `; not ${listed(excluded.map(firstName), 2)}, who pushed it`;
  const said = given.length === 0 ? '' : `${listed(given.map(approverText), 3)} approved; `;
  return `${said}${left}${pushed}`;
}

function firstName(person: string): string {
  return person.split(' ')[0] ?? person;
}

/** How many nodes, and how long: by the pool's own pace if that is known. */
function nodesText(pool: Pool, { change }: ObservedPool, { minutesPerNode }: Asked): string {
  const { machines } = pool.counts;
  // The MCO counts the nodes that have the new config some seconds after it was rendered.
  const updated = pool.counts.updated >= machines ? 0 : pool.counts.updated;
  const counts = { ...pool.counts, updated };
  const own = minutesPerNode === undefined ? undefined : minutesLeft({ ...pool, counts }, minutesPerNode);
  if (own !== undefined) return `${machines - updated} of ${machines}, about ${duration(own * 60)} at its own pace`;
  const planned = estimate({
    machines,
    maxUnavailable: pool.maxUnavailable ?? '1',
    class: change?.class,
    update: 'files',
  });
  return planned === undefined ? `${machines}` : `${machines}, ${estimateText({ machines }, planned)}`;
}

/** Who or what changed it, as far as it is known. */
function askedBy({ pool, change }: ObservedPool): string {
  const release = releaseOf(pool);
  const pushers = (release?.pushers ?? []).filter((login) => login !== '');
  const why = change === undefined ? '' : causeText(change);
  const words = why === '' ? (release?.why ?? 'unknown') : why;
  return pushers.length === 0 ? words : `${words}; pushed by ${listed(pushers, 3)}`;
}
