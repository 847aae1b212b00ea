import { buildFor, type ImageBuild, type ImageConfig } from '../openshift/image-build.ts';
import { isTrue } from '../openshift/pool.ts';
import { isPast, plusSeconds } from '../text/instant.ts';
import { command, poolkeeperCommand } from '../text/shell-words.ts';
import { closed, type Gate, type GateAnswer, type GateQuestion, open, pausedAtMost, unread, unseen } from './gate.ts';

/** Image mode: the image of the pool is built. The MCO drains and reboots its nodes into it when it is, which may be
 *  long after a resume, when no gate is asked any more. An emergency loses nothing: without its image nothing of the
 *  pool rolls out. The MCO itself limits no build. */
export const image: Gate = { name: 'image', inEmergency: 'asked', ask, timeout: pausedAtMost };

/** Within this time the MCO begins the build that is asked for. Seconds. It says so with the build, or in
 *  `observedGeneration`, which releases before 4.21 forget where an image is used again: waiting for it for ever would
 *  keep pools paused for nothing. Source: MCO test/e2e-ocl-1of2/onclusterlayering_test.go `waitForBuildToStart`. */
const beginsWithinSeconds = 300;

const whether = 'whether an image is being built for it (image mode)';
const threshold = 'none that is still to be built';
const mco = 'the Machine Config Operator, by itself';

function ask(question: GateQuestion): GateAnswer {
  const { pool, evidence } = question;
  const { images } = evidence;
  if (images.kind === 'not-asked') return unread(whether, threshold, 'images');
  if (images.kind === 'unreadable')
    return unseen({
      why: `${whether} could not be read: ${images.why}`,
      value: 'unknown',
      threshold,
      opens: 'the next successful read of the MachineOSConfigs and MachineOSBuilds',
      who: 'Poolkeeper, by itself',
    });
  if (images.value.kind === 'forbidden') return { open: true, warning: `${whether} is not known: ${images.value.why}` };
  const { configs, builds, unreadable } = images.value;
  const answers = configs
    .filter((config) => config.pool === pool.name)
    .map((config) => answerFor(config, buildFor(config, builds, pool.target.name), question));
  const waiting = answers.find((each) => !each.open);
  const [invalid] = unreadable;
  if (waiting !== undefined || invalid === undefined) return waiting ?? answers[0] ?? open;
  const warning = `${whether} is not known: ${invalid.kind} ${invalid.name} ${invalid.why}`;
  return { open: true, warning };
}

/** ISO instant at which the image of the pool was built; undefined: it has none of its own, or it is not known. */
export function imageBuiltAt({
  pool,
  evidence: { images },
}: Pick<GateQuestion, 'pool' | 'evidence'>): string | undefined {
  if (images.kind !== 'seen' || images.value.kind !== 'listed') return undefined;
  const { configs, builds } = images.value;
  const config = configs.find((each) => each.pool === pool.name);
  const endedAt = config && buildFor(config, builds, pool.target.name)?.endedAt;
  return endedAt === undefined || Number.isNaN(Date.parse(endedAt)) ? undefined : endedAt;
}

function answerFor(config: ImageConfig, build: ImageBuild | undefined, question: GateQuestion): GateAnswer {
  if (build === undefined) return notBegun(config, question);
  const until = askedUntil(config, build, question);
  if (until !== undefined && !isPast(until, question.now)) return notTakenUp(config, until);
  const warning = until === undefined ? undefined : forgotten(config);
  switch (build.state) {
    case 'under-way':
      return underWay(config, build);
    case 'succeeded':
      return justBuilt(config, build, question) ?? { open: true, warning };
    case 'failed':
    case 'interrupted':
      return { open: true, warning: ended(config, build) };
    default:
      return build.state satisfies never;
  }
}

/** Until when what is asked for is waited for; undefined: nothing is, or the build is newer. */
function askedUntil(
  { asked }: ImageConfig,
  { createdAt }: ImageBuild,
  { closedSince, now }: GateQuestion,
): string | undefined {
  if (asked === undefined) return undefined;
  const { at } = asked;
  if (at !== undefined && createdAt !== undefined && Date.parse(createdAt) >= Date.parse(at)) return undefined;
  return plusSeconds(new Date(at ?? closedSince['image'] ?? now), beginsWithinSeconds);
}

function notBegun({ name }: ImageConfig, { pool }: GateQuestion): GateAnswer {
  // Source: MCO pkg/controller/build/reconciler.go `shouldPreventBuildDueToDegradation`.
  const isHeldUp = isTrue(pool, 'NodeDegraded') || isTrue(pool, 'RenderDegraded');
  const because = isHeldUp ? '; none begins while the pool is degraded' : '';
  return closed({
    why: `no image build of MachineOSConfig ${name} for ${pool.target.name} has begun yet${because}`,
    value: 'no build yet',
    threshold,
    opens: isHeldUp ? 'mending the pool; then its image is built' : 'the build of its image',
    who: isHeldUp ? `whoever can mend pool ${pool.name}` : mco,
    how: poolkeeperCommand('explain', '--pool', pool.name),
  });
}

function notTakenUp({ name, asked }: ImageConfig, until: string): GateAnswer {
  const what = asked?.what === 'rebuild' ? 'rebuild that is asked for in' : 'last change of';
  return closed({
    why: `no image build for the ${what} MachineOSConfig ${name} has begun yet`,
    value: 'not begun yet',
    threshold,
    opens: `the build of its image; without one, by itself at ${until}`,
    who: mco,
    opensAt: until,
  });
}

function underWay({ name: config }: ImageConfig, { name, createdAt }: ImageBuild): GateAnswer {
  const since = createdAt === undefined ? '' : `, since ${createdAt}`;
  return closed({
    why: `it waits for image build ${name} of MachineOSConfig ${config}${since}`,
    value: 'being built',
    threshold,
    opens: 'the end of that build',
    who: mco,
    how: command('oc', 'describe', 'machineosbuilds', name),
  });
}

/** Whether the nodes need the image is told by the pool, some seconds later: as long as by a render. */
function justBuilt(
  { name: config }: ImageConfig,
  { name, endedAt }: ImageBuild,
  { policy, now }: GateQuestion,
): GateAnswer | undefined {
  if (endedAt === undefined || !isPast(endedAt, now)) return undefined;
  const settlesAt = plusSeconds(new Date(endedAt), policy.renderSettleSeconds);
  if (isPast(settlesAt, now)) return undefined;
  return closed({
    why: `image build ${name} of MachineOSConfig ${config} has just ended, and the pool does not say yet which nodes need it`,
    value: `built at ${endedAt}`,
    threshold,
    opens: `by itself at ${settlesAt}`,
    who: 'time, by itself',
    opensAt: settlesAt,
  });
}

/** A failed build rolls nothing out, so nothing is to be waited for. */
function ended({ name: config }: ImageConfig, { name, state }: ImageBuild): string {
  const how = state === 'failed' ? 'has failed' : 'was interrupted';
  return `image build ${name} of MachineOSConfig ${config} ${how}: nothing rolls out until another has succeeded, and then it does so by itself`;
}

function forgotten({ name, asked }: ImageConfig): string {
  const why =
    asked?.what === 'rebuild'
      ? `a rebuild is asked for in MachineOSConfig ${name}, and none has begun`
      : `the Machine Config Operator does not say that it has taken up the last change of MachineOSConfig ${name}`;
  return `${why}: an image that is built later rolls out by itself`;
}
