import { withoutTrailing } from '../../text/trailing.ts';
import { withoutEscapes, withShortNames, wordsOf } from './plain-words.ts';

/** A failure of a node, taken apart. The MCO wraps an error in what it was doing, in the command that it ran and in
 *  its own retries; the cause is the innermost of them. */
export interface NodeReason {
  /** Without escape sequences, otherwise as the daemon wrote it. */
  readonly whole: string;
  /** What the daemon was doing, outermost first, in its own words with the names masked. */
  readonly context: string;
  readonly command: FailedCommand | undefined;
  /** The innermost error, literally, on one line. */
  readonly error: string;
  /** The same without names: what rules search. */
  readonly words: string;
  /** The program's exit status or the end of the retries stands where an error should: the text hides the cause. */
  readonly isHidden: boolean;
  /** What the innermost error led to, where the MCO tells both (`A; possible root cause: B`): A. */
  readonly consequence: string | undefined;
  /** The image that was to be pulled or run; empty where none is named. */
  readonly image: string;
  readonly registry: RegistryAnswer | undefined;
}

export interface FailedCommand {
  /** `rpm-ostree`, `podman`, `systemctl` ... without its folder. */
  readonly program: string;
  /** With its arguments. */
  readonly line: string;
  /** `exit status 1`, `signal: killed`; empty if the text does not have it. */
  readonly exit: string;
}

/** `refused`: credentials. `absent`: no such image. `failed`: an error of the registry itself. `unreachable`: no
 *  answer. `untrusted`: its certificate. `unresolved`: its name. `limited`: too many requests. */
export interface RegistryAnswer {
  readonly kind: 'refused' | 'absent' | 'failed' | 'unreachable' | 'untrusted' | 'unresolved' | 'limited';
  /** HTTP status; undefined if the text does not name one. */
  readonly status: number | undefined;
}

/** Behind the image or the list of kernel arguments that the MCO missed. Elsewhere they are words of others: the daemon
 *  quotes paths, extensions and arguments of MachineConfigs. */
const rootCause = /(?<=["\])]);\s*possible root cause:\s*/gi;
const mayHaveRootCause = /^(?:expected target osImageURL|missing expected kernel arguments)/i;
const retriesOver = /(?<![:\s])[:\s]*timed out waiting for the condition[.\s]*$/i;
const hidden = /^(?:exit status \d+|signal: [\w ]+|timed out waiting for the condition|context deadline exceeded)?$/i;

/** What the MCO puts before an error. Each takes away what it matches; where it has a name in it, that is masked in
 *  the context. Source: pkg/daemon of the machine-config-operator, releases 4.6 to 5.0. */
const wrappers: readonly RegExp[] = [
  /^[IWEF]\d{4} [\d:.]+\s+\d+ \S+\]\s*/,
  /^"?Node \S+ is reporting:\s*"?/i,
  /^Node \S+ upgrade failure\.\s*/i,
  /^Marking (?:Degraded|Unreconcilable) due to:\s*"?/i,
  /^failed to update OS (?:to|from local storage:) (?<image>(?:[^\s:]|:(?!\s|$))+)(?:\s+after retries)?(?:\s*:\s*|$)/i,
  /^with stdout output:\s*:?\s*/i,
  /^unexpected on-disk state validating against \S+?:\s+/i,
  /^(?:can't reconcile config \S+ with \S+?|configs \S+, \S+ are not reconcilable):\s+/i,
  /^could not apply update: (?:restarting|reloading) \S+(?: service| configuration)? failed\.\s*(?:Error:\s*)?/i,
  /^could not apply update: (?:error processing state and configs|setting node's state to Done failed)\.\s*Error:\s*/i,
  /^(?:could not apply update|prepping update|disk validation failed|failed to update configuration):\s+/i,
  /^(?:checking operating system|error initializing rpm-ostree|error reading osImageURL from rpm-ostree):\s+/i,
  /^(?:extension package verification failed|the update is not reconcilable|daemon could not write systemd unit):\s+/i,
  /^(?:error|failed) (?:pulling|to pull) (?:extensions|OS) image (?<image>(?:[^\s:]|:(?!\s|$))+)(?: from registry)?(?::\s+|$)/i,
  /^error (?:rolling back|removing staged)(?:"[^"]*"|[^:"])*:\s+"?/i,
  /^failed to remove (?:rollback|pending deployment):\s+/i,
  /^NodeDisruptionPolicyStatus was not ready:\s+/i,
  /^(?:error setting node's state to \w+|failed to set Done annotation on node|could not set drain annotation):\s+/i,
  /^(?:something went wrong while attempting to (?:drain|uncordon) node):\s+/i,
  /^failed to run command \S+ \(\d+ tries\):\s+/i,
  /^(?:Error: |Update Failed compatibility validation\. )MachineConfigs \S+ and \S+ are not (?:compatible\. Err|available for update\. Error calculating post config change actions):\s+/i,
  /^Update failed applying (?:files|new OS config) to node:\s+/i,
  /^(?:Restarting|Reloading) (?:service )?\S+(?: service)? failed\.\s*Error:\s*/i,
  /^\[?timed out waiting for the condition, (?=\S)/i,
];

const commands: readonly RegExp[] = [
  /^(?:error )?running (?!preset on unit)(?<line>\S+(?: (?:(?!: |:$)[\s\S])*?)?)(?::\s+|:$|\s+failed:\s*)(?<rest>[\s\S]*)$/i,
  /^failed to (?:execute|run) (?<line>\S+ (?:\[[^\]]*\]|(?:(?!: |:$).)*?))\s*:\s*(?<rest>[\s\S]*)$/i,
  /^command "(?<line>[^"]+)" returned with unexpected error:\s*(?<rest>[\s\S]*)$/i,
];

const exits = /(?:^|[:\s])(exit status \d+|signal: (?:killed|terminated|aborted|segmentation fault))[:.\s]*/i;

/** Reads the text of a node's annotation `reason`, of its MachineConfigNode or of the pool's condition. */
export function readNodeReason(reason: string): NodeReason {
  const whole = withoutEscapes(reason).trim();
  const { outer, cause } = withRootCause(withShortBlanks(whole));
  const inner = cause === '' ? outer : { ...unwrap(cause), image: outer.image };
  const error = oneLine(inner.error);
  const words = wordsOf(error);
  return {
    whole,
    context: wordsOf([...outer.steps, ...(inner === outer ? [] : [outer.error])].join(' ')),
    command: inner.command,
    error,
    words,
    isHidden: hidden.test(error),
    consequence: inner === outer ? undefined : oneLine(outer.error),
    image: inner.image,
    registry: registryAnswer(words),
  };
}

/** The daemon gave up after an hour; the controller goes on trying. What it quotes may have these words, too. */
export function isDrainTimeout({ error, command }: Pick<NodeReason, 'error' | 'command'>): boolean {
  return command === undefined && /^failed to drain node\b/i.test(error);
}

/** `cause`: empty where the MCO gives none. */
function withRootCause(text: string): { readonly outer: Unwrapped; readonly cause: string } {
  const last = [...text.matchAll(rootCause)].at(-1);
  const outer = last && unwrap(text.slice(0, last.index));
  if (last === undefined || outer === undefined || !mayHaveRootCause.test(outer.error))
    return { outer: unwrap(text), cause: '' };
  return { outer, cause: text.slice(last.index + last[0].length).trim() };
}

/** Of a run of blanks the first is kept, or a line end if there is one. None decides anything, and the time of the
 *  patterns below grows with the square of its length. */
function withShortBlanks(text: string): string {
  return text.replaceAll(/\s{2,}/g, (run) => (run.includes('\n') ? '\n' : ' '));
}

/** The innermost error for a sentence: names are cut in their middle, the cause is not. */
export function errorText({ error }: Pick<NodeReason, 'error'>): string {
  return withoutTrailing(withShortNames(error), '. \t\r\n');
}

interface Unwrapped {
  readonly steps: readonly string[];
  readonly command: FailedCommand | undefined;
  readonly image: string;
  readonly error: string;
}

/** Layers that are taken off: the MCO nests five or six. */
const layersAtMost = 40;

function unwrap(text: string): Unwrapped {
  const steps: string[] = [];
  let rest = text.trim();
  let command: FailedCommand | undefined;
  let image = '';
  let isOver = false;
  for (;;) {
    const shorter = rest.replace(retriesOver, '');
    isOver ||= shorter !== rest;
    const wrapper = wrapperOf(shorter);
    const run = wrapper === undefined ? commandOf(shorter) : undefined;
    const layer = wrapper ?? run;
    if (layer === undefined || steps.length >= layersAtMost)
      return { steps, command, image, error: innermostOr(shorter, command, isOver) };
    steps.push(layer.step);
    rest = layer.rest;
    image = wrapper?.image ?? image;
    command = run?.command ?? command;
  }
}

/** The retries end in a timeout of their own, which is no cause as long as anything stands before it: more than the
 *  bracket of a list of errors that was cut off. */
function innermostOr(text: string, command: FailedCommand | undefined, isOver: boolean): string {
  const error = innermost(text, command);
  return isOver && !/[\p{L}\p{N}]/u.test(error) ? 'timed out waiting for the condition' : error;
}

interface Layer {
  readonly step: string;
  readonly rest: string;
}

function wrapperOf(text: string): (Layer & { readonly image: string | undefined }) | undefined {
  const match = wrappers.map((each) => each.exec(text)).find((each) => each !== null);
  if (match === undefined || match[0] === '') return undefined;
  const inside = text.slice(match[0].length);
  const rest = match[0].endsWith('"') ? inside.replace(/"\s*$/, '') : inside;
  return { step: match[0], rest, image: imageNamed(match.groups?.['image']) };
}

/** Undefined where no image can have such a name: an option of a program would be taken for one. */
function imageNamed(name: string | undefined): string | undefined {
  return name !== undefined && /^\w/.test(name) ? name : undefined;
}

function commandOf(text: string): (Layer & { readonly command: FailedCommand }) | undefined {
  const match = commands.map((each) => each.exec(text)).find((each) => each !== null);
  const { line, rest } = match?.groups ?? {};
  if (line === undefined || rest === undefined) return undefined;
  const exit = exits.exec(rest)?.[1] ?? '';
  const program = /^\S+/.exec(line)?.[0].split('/').at(-1) ?? line;
  return { step: line, command: { program, line, exit }, rest: exit === '' ? rest : withoutExit(rest, exit) || exit };
}

/** What was printed besides the exit status at its beginning or end. By steps instead of one pattern, whose time would
 *  grow with the square of a run of blanks. */
function withoutExit(text: string, exit: string): string {
  const trimmed = text.trim();
  const rest = trimmed.startsWith(exit) ? trimmed.slice(exit.length) : trimmed;
  const end = withoutTrailing(rest.trimEnd(), '.').trimEnd();
  return (end.endsWith(exit) ? withoutTrailing(end.slice(0, -exit.length).trimEnd(), ':') : rest).trim();
}

/** Of what a program printed, the line that begins with its own `error:`, to the end: before it stands progress. */
function innermost(text: string, command: FailedCommand | undefined): string {
  if (command === undefined) return closed(text).replace(/^error:\s+/i, '');
  const starts = [...text.matchAll(/(?:^|\n|:)[^\S\n]*(?:fatal |[\w-]+: )?error:\s+/gi)];
  const last = starts.at(-1);
  return closed(last === undefined ? text : text.slice(last.index + last[0].length)).trim() || command.exit;
}

/** A quote or bracket that was opened by a wrapper is closed at the end. */
function closed(text: string): string {
  const line = text.trim();
  if (line.endsWith('"') && (line.match(/"/g)?.length ?? 0) % 2 === 1) return line.slice(0, -1).trim();
  return line;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** `username/password: unauthorized` reaches us without its last words: a password might stand there. */
const answers: readonly (readonly [RegistryAnswer['kind'], RegExp])[] = [
  ['limited', /toomanyrequests|too many requests|rate limit/i],
  [
    'untrusted',
    /x509:|certificate (?:signed by unknown|has expired|is not trusted|verify failed)|tls: (?:bad|failed|unknown)/i,
  ],
  [
    'unresolved',
    /no such host|server misbehaving|could not resolve|name or service not known|temporary failure in name/i,
  ],
  [
    'refused',
    /\bunauthorized\b|authentication required|\bdenied: |requested access to the resource is denied|username\/password|unable to retrieve auth token|access to the resource is denied|insufficient_scope/i,
  ],
  [
    'absent',
    /manifest unknown|name unknown|manifest invalid|blob unknown|repository .{0,200} not found|image not known/i,
  ],
  [
    'unreachable',
    /i\/o timeout|connection refused|connection reset|connection timed out|no route to host|network is unreachable|tls handshake timeout|proxyconnect|client\.timeout|unexpected eof|server gave http response to https client|context deadline exceeded/i,
  ],
  ['failed', /internal server error|bad gateway|service unavailable|gateway time-?out/i],
];

const httpStatus =
  /(?:unexpected )?(?:http )?status(?: ?code)?(?: from \S+(?: request to \S+)?)?(?:\s*[:=]\s*|\s+)(\d{3})\b/i;

/** Names are masked already, so that no digit of a digest is an HTTP status. */
function registryAnswer(words: string): RegistryAnswer | undefined {
  const status = httpStatus.exec(words)?.[1];
  const code = status === undefined ? undefined : Number(status);
  const kind =
    answers.find(([, pattern]) => pattern.test(words))?.[0] ?? (code === undefined ? undefined : byStatus(code));
  return kind === undefined ? undefined : { kind, status: code };
}

function byStatus(status: number): RegistryAnswer['kind'] | undefined {
  if (status === 401 || status === 403 || status === 407) return 'refused';
  if (status === 404) return 'absent';
  if (status === 429) return 'limited';
  return status >= 500 ? 'failed' : undefined;
}
