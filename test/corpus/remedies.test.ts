import { describe, expect, test } from 'vitest';
import { everyFinding } from '../../functions/core/findings/chain.ts';
import { remediesInOrder } from '../../functions/core/findings/remedy-order.ts';
import type { Finding, Remedy } from '../../functions/core/findings/trouble.ts';
import { corpus } from './corpus.ts';
import { explainSituation } from './explain-situation.ts';

const findings: readonly Finding[] = (
  await Promise.all(corpus.map(async ({ snapshot }) => (await explainSituation(snapshot)).pools))
)
  .flat()
  .flatMap(({ troubles }) => troubles.flatMap((trouble) => trouble.findings));
const all = findings.flatMap(everyFinding);
const remedies = all.flatMap((finding) => finding.remedies.map((remedy) => ({ finding, remedy })));

const isGentle = ({ risk }: Remedy) => risk === 'none' || risk === 'low';
const tell = ({ code }: Finding, { title }: Remedy) => `${code}: ${title}`;

/** What takes pods or a node away, whatever the risk says. A config daemon is started anew by its DaemonSet and takes
 *  no workload with it. */
const takesAway =
  /systemctl reboot|machine-config-daemon-force|^(?!oc -n openshift-machine-config-operator ).*\bdelete (?:pod|node|machines\.machine\.openshift\.io)\b|--force|--grace-period=0|adm drain|isolate|shutdown/;
/** A look: it may be done at any time, by anybody who may read. */
const looks = /^oc (?:(?:-n \S+ )?(?:get|describe|logs|whoami|auth)|adm (?:node-logs|top|must-gather|inspect)|debug)\b/;

describe('what people are told to do, over every cause of the corpus', () => {
  test('[S1-12] [N-31] nothing that drains, reboots or loses data stands first', () => {
    const harmful = findings.flatMap((finding) => {
      const [first] = remediesInOrder([finding]);
      return first === undefined || isGentle(first) ? [] : [tell(finding, first)];
    });
    const firstOfItsOwn = all.flatMap((finding) => {
      const [first] = finding.remedies;
      return first === undefined || isGentle(first) ? [] : [tell(finding, first)];
    });

    expect([...new Set([...harmful, ...firstOfItsOwn])]).toEqual([]);
  });

  test('[S1-12] whatever takes a pod or a node away says that it does', () => {
    const silent = remedies.filter(({ remedy }) => takesAway.test(remedy.command ?? '') && isGentle(remedy));

    expect(silent.map(({ finding, remedy }) => tell(finding, remedy))).toEqual([]);
  });

  test('[S1-12] a command that changes something says how it is taken back, or why it cannot be', () => {
    const cannotBeUndone =
      /\b(?:delete|rollout restart|approve|systemctl (?:reboot|restart)|rpm-ostree (?:cancel|cleanup|override reset)|finalizers|rebuild=)(?!\w)/;
    const open = remedies.filter(
      ({ remedy: { command, undo, risk } }) =>
        command !== undefined && risk !== 'none' && undo === undefined && !cannotBeUndone.test(command),
    );

    expect([...new Set(open.map(({ finding, remedy }) => tell(finding, remedy)))]).toEqual([]);
  });

  test('[S1-12] a command without any risk only looks', () => {
    const acts = remedies.filter(
      ({ remedy: { command, risk } }) => command !== undefined && risk === 'none' && !looks.test(command),
    );

    expect([...new Set(acts.map(({ finding, remedy }) => `${tell(finding, remedy)} ${remedy.command}`))]).toEqual([]);
  });

  test('[S1-12] every finding that knows its cause says what to do', () => {
    const idle = findings.filter((finding) => remediesInOrder([finding]).length === 0 && finding.class !== 'unknown');

    expect([...new Set(idle.map(({ code, sentence }) => `${code}: ${sentence}`))]).toEqual([]);
  });
});
