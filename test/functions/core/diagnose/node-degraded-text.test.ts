import { expect, test } from 'vitest';
import { parseNodeDegraded } from '../../../../functions/core/diagnose/text/node-degraded-text.ts';
import { fc } from '../../../property.ts';

test('a node that the condition says twice is one node, without the words of its MachineConfigNode', () => {
  const message =
    'Node worker-1 is reporting: "Node worker-1 upgrade failure. content mismatch for file \\"/etc/chrony.conf\\"", Node worker-1 is reporting: "content mismatch for file \\"/etc/chrony.conf\\""';

  const reasons = parseNodeDegraded(message);

  expect([...reasons]).toEqual([['worker-1', 'content mismatch for file "/etc/chrony.conf"']]);
});

test('several nodes keep their own reasons', () => {
  const message = 'Node worker-1 is reporting: "a, b", Node worker-2 is reporting: "line 1\\nline 2"';

  const reasons = parseNodeDegraded(message);

  expect([...reasons]).toEqual([
    ['worker-1', 'a, b'],
    ['worker-2', 'line 1\nline 2'],
  ]);
});

test('a message in other words names nobody', () => {
  expect([...parseNodeDegraded('Custom OS image build failed')]).toEqual([]);
});

test.each([
  [String.raw`\x41\u00e9\U0001F600\101`, 'Aé😀A'],
  [String.raw`tab\there`, 'tab\there'],
  [String.raw`back\\slash`, 'back\\slash'],
  [String.raw`\UFFFFFFFF`, '\ufffd'],
])("undoes Go's quoting of %s", (literal, expected) => {
  expect(parseNodeDegraded(`Node worker-1 is reporting: "${literal}"`).get('worker-1')).toBe(expected);
});

test('what was quoted comes back whole, whatever it was', () => {
  const quote = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text.trim() === text),
      (reason) => {
        const message = `Node worker-1 is reporting: "${quote(reason)}"`;

        expect(parseNodeDegraded(message).get('worker-1')).toBe(reason);
      },
    ),
  );
});
