import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, ref, without } from '../../findings/make-finding.ts';
import type { Evidence, Finding, Remedy, TroubleClass } from '../../findings/trouble.ts';
import { read, type Unread, unreadOf } from '../../findings/unread.ts';
import { condition, type Pool } from '../../openshift/pool.ts';
import { poolSelects } from '../../openshift/selector.ts';
import { ifGiven } from '../../text/if-given.ts';
import { between, clipped, listed, quoted } from '../../text/phrases.ts';
import { command } from '../../text/shell-words.ts';
import { changedAt, changedPath, type ObjectHead } from '../objects/object-head.ts';
import { machineConfigHead, machineConfigHeads } from '../questions.ts';
import { remedy } from '../remedies.ts';
import type { PoolSubject } from '../subject.ts';
import { isAsRendered } from './changed-sources.ts';
import { controllerLog } from './operator-parts.ts';
import { revertsOf } from './reverts.ts';

interface RenderRule {
  readonly code: string;
  readonly pattern: RegExp;
  readonly class: TroubleClass;
  /** After "The MCO cannot render pool X: ". */
  readonly words: string;
  /** Where no MachineConfig did it: what helps. */
  readonly remedies?: readonly Remedy[];
}

/** `could not get OSImageStream for pool P`: no MachineConfig did that. */
const streamText = /^couldn?(?:'t| not) get (?:the )?OSImageStream/i;

/** By the wording of the error. What blames no change of a MachineConfig counts only where the text begins so: the MCO
 *  quotes extensions, paths and users of MachineConfigs, which may hold any words. Source: machine-config-operator
 *  pkg/controller/render/render_controller.go and pkg/controller/common. */
const renderRules: readonly RenderRule[] = [
  {
    code: 'R8',
    pattern: /^ignoring (?:controller config|MC|machineconfig|OSImageStream)[\s\S]{0,300}(?:generated|version)/i,
    class: 'self-healing',
    words: 'its parts come from different versions, as during a cluster upgrade',
  },
  {
    code: 'R1',
    pattern: /^(?:no MachineConfigs found matching selector|couldn't find any MachineConfigs for pool)/i,
    class: 'structural',
    words: 'its selector matches no MachineConfig',
  },
  {
    code: 'R3',
    pattern:
      /reconciliation failed between|render reconciliation error|can't reconcile|not reconcilable|invalid passwd change|ignition [a-z/ ]{1,60} section contains|ignition file .{1,200} includes append|cannot create .{0,200} via ignition|refusing to modify FIPS/i,
    class: 'structural',
    words: 'a MachineConfig changes what cannot be changed on a running node',
  },
  {
    code: 'R4',
    pattern:
      /kernelType=\S{1,100} is invalid|unhandled kernel type|invalid extensions found|kernel-devel extension|invalid mode|only core user is supported/i,
    class: 'structural',
    words: 'a MachineConfig has a value that is not allowed',
  },
  {
    code: 'R5',
    pattern: /is too large|request is too large|entity too large|trying to send message larger/i,
    class: 'structural',
    words: 'all MachineConfigs together are larger than the API server takes',
  },
  {
    code: 'R6',
    pattern: /^cannot override MachineConfig osImageURL/i,
    class: 'structural',
    words: 'two settings choose its operating system image',
  },
  {
    code: 'R0',
    pattern: streamText,
    class: 'external',
    words: 'the image stream of its operating system cannot be found or read',
  },
  {
    code: 'R7',
    pattern: /^MachineConfigPool \S+ targets .{1,100}runc is not available/i,
    class: 'structural',
    words: 'its operating system image has no runc',
  },
  ...withoutMachineConfig(),
  {
    code: 'R2',
    pattern:
      /ignition|unknown version|invalid version|gzip|decompress|compression type|could not decode|downgrading KernelArguments|requested (?:version|conversion)|conversion (?:from|for)|wrong source type/i,
    class: 'structural',
    words: 'a MachineConfig holds no valid Ignition configuration',
  },
];

/** Errors that the MCO passes on as they are, and that no MachineConfig made. Each is known by how the text begins,
 *  because what follows may hold words of anybody. Source: render_controller.go `syncGeneratedMachineConfig`;
 *  client-go. */
function withoutMachineConfig(): readonly RenderRule[] {
  return [
    {
      code: 'R0',
      pattern: /^could not get current MachineConfig \S+ for MachineConfigPool/i,
      class: 'external',
      words: 'the rendered config that it has now cannot be read',
      remedies: [
        remedy('See whether it is there; if it was deleted, restore it from a backup', {
          command: command('oc', 'get', 'machineconfigs', '--sort-by=.metadata.creationTimestamp'),
        }),
      ],
    },
    {
      code: 'R0',
      pattern: /^(?:pool \S+ )?failed to (?:check runc|inspect OS image)/i,
      class: 'external',
      words: 'the MCO cannot look into its operating system image',
      remedies: [
        remedy('See what the controller says of the image: its registry, the pull secret, a proxy', {
          command: controllerLog,
        }),
      ],
    },
    {
      code: 'R0',
      pattern:
        /^(?:admission webhook "|Internal error occurred: failed calling webhook|\S+ (?:"[^"]{1,300}" )?is forbidden: )/i,
      class: 'external',
      words: 'the API server does not take what the MCO writes',
      remedies: [
        remedy(
          'Bring the webhook or the policy that is named to leave what the MCO writes alone, or give it its rights',
        ),
      ],
    },
    {
      code: 'R0',
      pattern:
        /^(?:etcdserver: |client rate limiter |context (?:deadline exceeded|canceled)|Operation cannot be fulfilled |Internal error occurred: |Timeout: |the server (?:was|is|has|could) |(?:Get|Post|Put|Patch|Delete) "https?:|\S+ "[^"]{1,300}" (?:already exists|not found)$|rpc error: |http2: |unexpected EOF|Unauthorized$)/i,
      class: 'self-healing',
      words: 'the MCO could not read or write at the API server, and tries again by itself',
      remedies: [
        remedy('If it lasts: see whether the API server is well', {
          command: command('oc', 'get', 'clusteroperator', 'kube-apiserver', 'etcd'),
        }),
      ],
    },
  ];
}

const unknownRule: RenderRule = {
  code: 'R0',
  pattern: /(?:)/,
  class: 'unknown',
  words: 'merging its MachineConfigs fails',
};

/** A change made so long before the first failure can be its cause: two render delays of 5 s and a busy controller. */
const beforeFailureMs = 5 * 60_000;
const afterFailureMs = 60_000;
/** One sync writes its MachineConfigs within seconds of each other. */
const oneSyncMs = 30_000;

/** Why a pool cannot be rendered (R rules) and which MachineConfig did it. Nodes are untouched by that. */
export function* explainRender(subject: PoolSubject): Inquiry<Finding> {
  const { pool } = subject;
  const degraded = condition(pool, 'RenderDegraded');
  const message = degraded?.message ?? '';
  const told = errorIn(message, pool).replace(/^could not generate rendered MachineConfig: /i, '');
  const rule = renderRules.find(({ pattern }) => pattern.test(told)) ?? unknownRule;
  const { names: guilty, heads, isGuess, evidence: seen, unread } = yield* blameOf(subject, rule, told);
  const found = finding({
    code: rule.code,
    subject: guilty.length === 1 ? ref('MachineConfig', guilty[0] ?? '') : ref('MachineConfigPool', pool.name),
    sentence: `Pool ${pool.name} cannot be rendered: ${accused(rule.words, guilty, isGuess)}: ${quoted(withoutOpening(message, pool), 200)}. No node is affected: they keep ${pool.current.name || 'what they have'}.`,
    confidence: isGuess && guilty.length > 0 ? 'likely' : 'strong',
    class: rule.class,
    evidence: [
      evidence(
        ref('MachineConfigPool', pool.name),
        'status.conditions[RenderDegraded].message',
        clipped(message),
        subject.readAt,
      ),
      ...seen,
    ],
    remedies: yield* remediesOf(rule, guilty, { subject, heads }),
  });
  return without(found, unread);
}

/** The rule's words about `a MachineConfig`, or about the one that is named. */
function accused(words: string, guilty: readonly string[], guessed: boolean): string {
  const [only] = guilty;
  if (only === undefined) return words;
  if (!guessed && guilty.length === 1 && words.startsWith('a MachineConfig '))
    return words.replace('a MachineConfig', `MachineConfig ${only}`);
  return `${words}, ${guessed ? 'probably' : 'namely'} ${listed(guilty, 3)}${guessed ? ' (changed just before)' : ''}`;
}

/** Who did it, as far as that is known. */
interface Blame {
  readonly names: readonly string[];
  readonly heads: readonly ObjectHead[];
  /** By when it was changed, and not by the MCO's words. */
  readonly isGuess: boolean;
  readonly evidence: readonly Evidence[];
  readonly unread: readonly Unread[];
}

const nobody: Blame = { names: [], heads: [], isGuess: false, evidence: [], unread: [] };

function* blameOf(subject: PoolSubject, rule: RenderRule, told: string): Inquiry<Blame> {
  if (rule.remedies !== undefined) return nobody;
  const named = namedIn(told);
  if (named !== undefined)
    return comparing.test(told) ? yield* compared(subject, named) : yield* byName(subject, named);
  return rule.code === 'R8' || streamText.test(told) ? nobody : yield* changedLately(subject);
}

/** Since OpenShift 4.20 the MCO compares each MachineConfig by itself with all of the last render, and names the first
 *  that differs as the whole does: where disks, filesystems or FIPS are there already, that is the first one that says
 *  nothing of them. Source: render_controller.go `generateAndValidateRenderedMachineConfig`. */
const comparing = /^reconciliation failed between current config "[^"]*" and base config/i;

/** How the texts begin in which the MCO names a MachineConfig itself. */
const naming =
  /^(?:reconciliation failed between current config "[^"]*" and base config|failed to parse Ignition config for MC|failed to (?:decode|parse TOML from) CRI-O drop-in "(?:[^"\\]|\\.){0,4096}" in MC) "?([a-z0-9][a-z0-9.-]*)"?/i;

/** The MachineConfig that the MCO names, unless it is a rendered one. Further names in the text may stand in values of
 *  a MachineConfig that it quotes. */
function namedIn(told: string): string | undefined {
  const name = naming.exec(told)?.[1] ?? '';
  return name.includes('-') && !name.startsWith('rendered-') ? name : undefined;
}

function* byName({ readAt }: PoolSubject, name: string): Inquiry<Blame> {
  const head = yield* read(machineConfigHead(name));
  return blamed(name, head.kind === 'read' ? head.value : undefined, readAt);
}

function blamed(name: string, head: ObjectHead | undefined, readAt: string): Blame {
  const heads = ifGiven(head);
  return { ...nobody, names: [name], heads, evidence: heads.map((each) => changeOf(each, readAt)) };
}

/** The one that the MCO names, where it alone has changed: else what has changed is suspect. */
function* compared(subject: PoolSubject, name: string): Inquiry<Blame> {
  const heads = yield* read(machineConfigHeads());
  if (heads.kind !== 'read') return { ...blamed(name, undefined, subject.readAt), unread: unreadOf([heads]) };
  const all = heads.value.items;
  const head = all.find(({ metadata }) => metadata.name === name);
  const suspects = suspectsAmong(all, subject, heads.readAt);
  const isInnocent =
    head !== undefined && (isGenerated(head.metadata.annotations) || wasRendered(head, subject.pool, all));
  return isInnocent || suspects.names.some((each) => each !== name) ? suspects : blamed(name, head, subject.readAt);
}

function changeOf(head: ObjectHead, readAt: string): Evidence {
  return evidence(ref('MachineConfig', head.metadata.name), changedPath, changedAt(head), readAt);
}

function* changedLately(subject: PoolSubject): Inquiry<Blame> {
  const heads = yield* read(machineConfigHeads());
  if (heads.kind !== 'read') return { ...nobody, isGuess: true, unread: unreadOf([heads]) };
  return suspectsAmong(heads.value.items, subject, heads.readAt);
}

function suspectsAmong(all: readonly ObjectHead[], { pool, readAt }: PoolSubject, headsReadAt: string): Blame {
  const failedAt = condition(pool, 'RenderDegraded')?.since ?? readAt;
  const changed = all
    .filter(({ metadata }) => !metadata.name.startsWith('rendered-') && !isGenerated(metadata.annotations))
    .filter(({ metadata }) => poolSelects(pool.machineConfigSelector, metadata.labels))
    .filter((head) => between(changedAt(head), failedAt) <= beforeFailureMs)
    .filter((head) => !wasRendered(head, pool, all))
    .toSorted((a, b) => between(changedAt(a), changedAt(b)));
  const first = changed.find((head) => between(failedAt, changedAt(head)) <= afterFailureMs);
  // What made it fail may have been edited again since: then everything since is suspect.
  const suspects =
    first === undefined
      ? changed
      : changed.filter((head) => Math.abs(between(changedAt(head), changedAt(first))) <= oneSyncMs);
  return {
    names: suspects.map(({ metadata }) => metadata.name),
    heads: suspects,
    isGuess: true,
    evidence: suspects.slice(0, 3).map((head) => changeOf(head, headsReadAt)),
    unread: [],
  };
}

/** What the pool's last render has, as it still is, could be rendered: it did not make the next one fail. */
function wasRendered(head: ObjectHead, { target }: Pool, all: readonly ObjectHead[]): boolean {
  const rendered = all.find(({ metadata }) => metadata.name === target.name)?.metadata.creationTimestamp;
  if (rendered === undefined || !target.sources.includes(head.metadata.name)) return false;
  return isAsRendered(head, rendered);
}

function isGenerated(annotations: Readonly<Record<string, string>>): boolean {
  return 'machineconfiguration.openshift.io/generated-by-controller-version' in annotations;
}

/** As the MCO gives it, without what it puts before every error. */
function errorIn(message: string, { name }: Pool): string {
  const opening = `Failed to render configuration for pool ${name}: `;
  return message.startsWith(opening) ? message.slice(opening.length) : message;
}

function withoutOpening(message: string, pool: Pool): string {
  // Which two were compared is said already, as far as it tells anything: by name, and by what the nodes keep.
  return errorIn(message, pool)
    .replace(/^could not generate rendered MachineConfig: (?=reconciliation failed between)/i, '')
    .replace(/^reconciliation failed between current config "[^"]*" and base config "[^"]*": /, '')
    .replace(/\.$/, '');
}

function seeStreams({ name }: Pool): Remedy {
  const asked = command('oc', 'get', 'machineconfigpool', name, '-o', 'jsonpath={.spec.osImageStream.name}');
  return remedy('See which image stream the pool asks for, and which ones there are', {
    command: `${asked}; ${command('oc', 'get', 'osimagestreams', '-o', 'yaml')}`,
  });
}

function* remediesOf(
  { code, pattern, remedies }: Pick<RenderRule, 'code' | 'pattern' | 'remedies'>,
  guilty: readonly string[],
  { subject, heads }: { readonly subject: PoolSubject; readonly heads: readonly ObjectHead[] },
): Inquiry<readonly Remedy[]> {
  const { pool } = subject;
  if (remedies !== undefined) return remedies;
  if (pattern === streamText) return [seeStreams(pool)];
  switch (code) {
    case 'R8':
      return [remedy('Wait for the upgrade; look again if it lasts more than 30 min')];
    case 'R1':
      return [remedy(`Correct machineConfigSelector of pool ${pool.name} in Git`)];
    case 'R5':
      return [remedy('Take files out of the MachineConfigs or entries out of the mirror sets, in Git')];
    case 'R6':
      return [remedy(`Choose one: osImageURL of a MachineConfig or osImageStream of pool ${pool.name}`)];
    case 'R7':
      return [remedy('Move to crun (ContainerRuntimeConfig defaultRuntime) in Git')];
    default:
      return guilty.length === 0
        ? [remedy('Revert the last change of a MachineConfig of this pool in Git; no node needs anything')]
        : yield* revertsOf(guilty, subject, heads);
  }
}
