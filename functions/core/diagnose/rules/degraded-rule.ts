import type { Confidence, Remedy, TroubleClass } from '../../findings/trouble.ts';
import { clipped } from '../../text/phrases.ts';
import { command } from '../../text/shell-words.ts';
import { withoutTrailing } from '../../text/trailing.ts';
import { remedy } from '../remedies.ts';
import type { NodeSubject } from '../subject.ts';
import { errorText, type NodeReason } from '../text/node-reason.ts';

/** What one kind of daemon error means. */
export interface DegradedRule {
  readonly code: string;
  /** Found in the words of the innermost error; absent: whatever they are. */
  readonly words?: RegExp;
  /** Found in what the daemon was doing; absent: whatever it was. */
  readonly context?: RegExp;
  /** What neither of the two can say. */
  readonly fits?: (reason: NodeReason) => boolean;
  /** `strong` only where these words can mean nothing else: the MCO's own text for one thing, words that state the
   *  cause themselves (`No space left on device`), or at least three confirmed reports in test/corpus/field/learn and
   *  none against it. */
  readonly confidence: Exclude<Confidence, 'certain'>;
  readonly class: TroubleClass;
  readonly explain: (reason: NodeReason, subject: NodeSubject) => Explained;
}

export interface Explained {
  readonly sentence: string;
  readonly remedies: readonly Remedy[];
}

export function fitsRule({ words, context, fits }: DegradedRule, reason: NodeReason): boolean {
  return (
    (words === undefined || words.test(reason.words)) &&
    (context === undefined || context.test(reason.context)) &&
    (fits === undefined || fits(reason))
  );
}

/** Characters of an error inside a sentence: the texts of package conflicts run to thousands. */
const longestError = 280;

/** The innermost error as a sentence quotes it. */
export function errorOf(reason: NodeReason, limit = longestError): string {
  return withoutTrailing(clipped(errorText(reason), limit), '. ');
}

/** A command for a shell of the node itself. */
export function onNode(node: string, ...words: readonly string[]): string {
  return command('oc', 'debug', `node/${node}`, '--', 'chroot', '/host', ...words);
}

/** The name of a unit in an error; empty where systemd would take it for anything else, such as an option. Source:
 *  systemd.unit(5). */
export function unitNamed(text: string): string {
  return /^[A-Za-z0-9][A-Za-z0-9:_.\\@-]{0,255}$/.test(text) ? withoutTrailing(text, '.:') : '';
}

/** A look that changes nothing. */
export function look(title: string, line: string): Remedy {
  return remedy(title, { command: line });
}

/** What the daemon wrote around the failure. The pod is chosen by node, so that nobody has to look for its name. */
export function daemonLog(node: string): Remedy {
  return look(
    `Read what the config daemon of ${node} wrote around the failure`,
    `oc -n openshift-machine-config-operator logs -c machine-config-daemon --tail=200 $(oc -n openshift-machine-config-operator get pods -l k8s-app=machine-config-daemon --field-selector ${command(`spec.nodeName=${node}`)} -o name)`,
  );
}

/** The daemon skips its validation once and writes files, units and operating system again. It does not help where
 *  what it is to write is itself missing or refused. */
export function forceFile(node: string): Remedy {
  return remedy(
    'Else make the daemon write everything again; this drains and reboots the node, and does not help where something else keeps changing the file',
    {
      command: onNode(node, 'touch', '/run/machine-config-daemon-force'),
      undo: onNode(node, 'rm', '-f', '/run/machine-config-daemon-force'),
      risk: 'outage',
    },
  );
}

/** MachineConfigs that came with the change: in what is wanted, not in what every node has. */
export function newSources({ pool }: Pick<NodeSubject, 'pool'>): readonly string[] {
  const before = new Set(pool.current.sources);
  return pool.target.sources.filter((name) => !before.has(name));
}
