import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, notKnown, ref, without } from '../../findings/make-finding.ts';
import type { Confidence, Finding, TroubleClass } from '../../findings/trouble.ts';
import { read, unreadOf } from '../../findings/unread.ts';
import { mcoNamespace } from '../../openshift/machine-config-operator.ts';
import { condition, isTrue } from '../../openshift/pool.ts';
import { operatorAnnotationPrefix } from '../../openshift/rendered-kinds.ts';
import { ageText, between, clipped, quoted } from '../../text/phrases.ts';
import { command } from '../../text/shell-words.ts';
import { conditionOf } from '../objects/metadata.ts';
import { isReady } from '../objects/pod.ts';
import { imageBuild, imageBuilder } from '../questions.ts';
import { remedy } from '../remedies.ts';
import type { PoolSubject } from '../subject.ts';

/** Why the operating system image of an image-mode pool is not built (L rules). Nodes keep the one they have. */
export function* explainBuild(subject: PoolSubject): Inquiry<Finding> {
  const { pool } = subject;
  const poolMessage =
    condition(pool, isTrue(pool, 'ImageBuildDegraded') ? 'ImageBuildDegraded' : 'Updating')?.message ?? '';
  const name = /(?:MachineOSBuild|mosb): ([^)\s]+)/.exec(poolMessage)?.[1];
  const build = name === undefined ? undefined : yield* read(imageBuild(name));
  const own = build?.kind === 'read' ? ownWords(build.value.status.conditions) : undefined;
  const unread = build === undefined ? [] : unreadOf([build]);
  const failed = isTrue(pool, 'ImageBuildDegraded') || own?.type === 'Failed';
  if (failed) return without(buildFailed(subject, { name, words: own?.message || poolMessage, poolMessage }), unread);
  if (own?.type === 'Interrupted') return interrupted(subject, name ?? '', own.message);
  return yield* waitsForBuilder(subject, poolMessage);
}

interface Build {
  readonly name: string | undefined;
  /** What is quoted. */
  readonly words: string;
  /** As the pool tells it. */
  readonly poolMessage: string;
}

function ownWords(conditions: Parameters<typeof conditionOf>[0]) {
  return ['Failed', 'Interrupted'].map((type) => conditionOf(conditions, type)).find((each) => each?.status === 'True');
}

interface BuildKind {
  readonly code: 'L1' | 'L2' | 'L5';
  readonly pattern: RegExp;
  readonly confidence: Confidence;
  readonly class: TroubleClass;
  /** After "The operating system image of pool X ". */
  readonly words: string;
  readonly remedy: string;
  /** Nothing is to be mended, and the MCO builds no second time what has failed. */
  readonly isToBeRepeated?: true;
}

/** What a step of the Containerfile runs may hold any word. */
const stepFailed = /building at STEP|while running runtime|subprocess (?:exited|terminated)/i;

/** One job pulls, builds and pushes. In this order, by what only one of these can say. Source of the wordings: buildah,
 *  containers/image, Kubernetes. */
const kinds: readonly BuildKind[] = [
  {
    code: 'L1',
    pattern: stepFailed,
    confidence: 'strong',
    class: 'structural',
    words: 'cannot be built',
    remedy: 'Read the log of the build, then correct the Containerfile of the MachineOSConfig in Git',
  },
  {
    code: 'L2',
    pattern: /push(?:ing)? (?:image|manifest)|initiating layer upload/i,
    confidence: 'strong',
    class: 'external',
    words: 'was built and cannot be pushed to its registry',
    remedy: 'Mend the push secret of the MachineOSConfig, its registry or the quota there',
  },
  {
    code: 'L1',
    pattern: /initializing source|creating build container|reading manifest|pulling image|unable to copy from source/i,
    confidence: 'strong',
    class: 'external',
    words: 'cannot be built, because an image that it begins from cannot be pulled',
    remedy: 'Mend the pull secret of the MachineOSConfig or the image after FROM in its Containerfile',
  },
  {
    code: 'L5',
    pattern:
      /\b(?:evicted|preempted)\b|\bnode (?:\S{1,100} )?(?:is |was |has )?(?:being )?(?:shut ?(?:ting )?down|drained)/i,
    confidence: 'strong',
    class: 'external',
    words: 'was thrown off its node, and its build has ended with that',
    remedy: 'Have it built again; the nodes reboot into the image as soon as the pool may roll',
    isToBeRepeated: true,
  },
];

/** Until August 2026 the MCO said `Build Failed` of every build, whatever went wrong. Source: machine-config-operator
 *  pkg/apihelpers/machineosbuild.go; pull request 6479. */
const anyKind: BuildKind = {
  code: 'L1',
  pattern: /(?:)/,
  confidence: 'possible',
  class: 'unknown',
  words: 'cannot be built or pushed, and the text does not say which step failed',
  remedy:
    'Read the log of the build: a step that fails is for the Containerfile, an image that is not pulled for FROM or the pull secret, one that is not pushed for the push secret or the registry',
};

function buildFailed({ pool, readAt }: PoolSubject, { name, words, poolMessage }: Build): Finding {
  const kind = kinds.find(({ pattern }) => pattern.test(words)) ?? anyKind;
  const of = ref('MachineConfigPool', pool.name);
  return finding({
    code: kind.code,
    subject: name === undefined ? of : ref('MachineOSBuild', name),
    sentence: `The operating system image of pool ${pool.name} ${kind.words}: ${quoted(words, 240)}. No node is affected.`,
    confidence: kind.confidence,
    class: kind.class,
    evidence: [
      evidence(of, 'status.conditions[ImageBuildDegraded].message', clipped(poolMessage), readAt),
      ...(name === undefined
        ? []
        : [evidence(ref('MachineOSBuild', name), 'status.conditions', clipped(words), readAt)]),
    ],
    remedies: [
      remedy(kind.remedy, {
        ...(kind.isToBeRepeated ? { command: rebuild(pool.name), risk: 'low' } : { command: lookAt(name) }),
      }),
    ],
  });
}

function lookAt(build: string | undefined) {
  return build === undefined
    ? command('oc', 'get', 'machineosbuilds')
    : command('oc', '-n', mcoNamespace, 'logs', `job/build-${build}`, '-c', 'image-build', '--tail=50');
}

/** A MachineOSConfig has the name of its pool: the API server takes no other. */
function rebuild(pool: string) {
  return command('oc', 'annotate', 'machineosconfigs', pool, `${operatorAnnotationPrefix}rebuild=`, '--overwrite');
}

function interrupted({ pool, readAt }: PoolSubject, name: string, words: string): Finding {
  const of = ref('MachineOSBuild', name);
  return finding({
    code: 'L3',
    subject: of,
    sentence: `The build of the operating system image of pool ${pool.name} was interrupted, as by an edit of its MachineOSConfig: ${quoted(words, 200)}. No node is affected.`,
    confidence: 'strong',
    class: 'self-healing',
    evidence: [evidence(of, 'status.conditions[Interrupted].message', clipped(words), readAt)],
    remedies: [
      remedy('After an edit the next build begins by itself; if none has within minutes, have it built again', {
        command: rebuild(pool.name),
        risk: 'low',
      }),
    ],
  });
}

/** L4: a build that should begin or end and does not, and nobody says why. */
function* waitsForBuilder({ pool, since, readAt }: PoolSubject, poolMessage: string): Inquiry<Finding> {
  const builder = yield* read(imageBuilder());
  const of = ref('MachineConfigPool', pool.name);
  const said = evidence(of, 'status.conditions[Updating].message', clipped(poolMessage), readAt);
  const runs = builder.kind === 'read' && builder.value.items.some(isReady);
  if (builder.kind !== 'read' || runs) {
    const found = notKnown({
      code: 'L0',
      subject: of,
      sentence: `Pool ${pool.name} has been waiting for its operating system image for ${ageText(between(since, readAt))}: ${quoted(poolMessage, 200)}. No node is affected.`,
      looked: ['its MachineOSBuild', 'the machine-os-builder'],
      evidence: [said],
    });
    return without(found, unreadOf([builder]));
  }
  const [pod] = builder.value.items;
  const waiting = pod?.status.containerStatuses.find(({ state }) => state.waiting !== undefined)?.state.waiting;
  return finding({
    code: 'L4',
    subject: ref('Deployment', 'machine-os-builder', mcoNamespace),
    sentence: `Nobody builds the operating system image of pool ${pool.name}: the machine-os-builder ${
      pod === undefined ? 'has no pod' : `is not ready${waiting === undefined ? '' : ` (${waiting.reason})`}`
    }. It does not start while a pool is degraded or a secret of the MachineOSConfig is missing. No node is affected.`,
    confidence: 'strong',
    class: 'external',
    evidence: [said, evidence(ref('Deployment', 'machine-os-builder', mcoNamespace), 'ready pods', 0, builder.readAt)],
    remedies: [
      remedy('Mend the pool that is degraded, or the secrets that the MachineOSConfig names', {
        command: command('oc', 'get', 'machineconfigpools'),
      }),
    ],
  });
}
