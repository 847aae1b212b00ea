import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { read } from '../../findings/unread.ts';
import { ageText, between, counted, listed } from '../../text/phrases.ts';
import { command } from '../../text/shell-words.ts';
import { asksFor, type CertificateRequest, isBootstrap, isPending } from '../objects/certificate-request.ts';
import { certificateRequests } from '../questions.ts';
import { remedy } from '../remedies.ts';

/** So many requests are named in a command. The rest are refused asks of the same node. */
const mostNamed = 5;

/** S16: a kubelet that may not talk to the API server because nobody has approved its certificate. What cannot be read
 *  leaves the finding as it is: older roles do not give the right to these requests. */
export function* withCertificates(found: Finding, node: string): Inquiry<Finding> {
  const [told = found] = yield* withCertificatesOf([{ found, node }]);
  return told;
}

/** The same for several nodes, with one read. */
export function* withCertificatesOf(
  lost: readonly { readonly found: Finding; readonly node: string }[],
): Inquiry<readonly Finding[]> {
  const findings = lost.map(({ found }) => found);
  if (!findings.some(isUnready)) return findings;
  const requests = yield* read(certificateRequests());
  if (requests.kind !== 'read') return findings;
  const pending = requests.value.items.filter(isPending);
  return lost.map(({ found, node }) => {
    const own = pending.filter((each) => asksFor(each, node));
    if (!isUnready(found) || own.length === 0) return found;
    return { ...found, because: [...found.because, pendingRequests(own, node, requests.readAt)] };
  });
}

function isUnready({ code }: Finding): boolean {
  return code === 'S2' || code === 'S3';
}

function pendingRequests(own: readonly CertificateRequest[], node: string, readAt: string): Finding {
  const names = own.map(({ metadata }) => metadata.name);
  const [first] = own;
  const since = own
    .map(({ metadata }) => metadata.creationTimestamp ?? readAt)
    .toSorted()
    .at(0);
  return finding({
    code: 'S16',
    subject: ref('CertificateSigningRequest', first?.metadata.name ?? ''),
    sentence: `${counted(own.length, 'certificate signing request')} of ${node} (client) ${own.length === 1 ? 'is' : 'are'} pending for ${ageText(between(since ?? readAt, readAt))}: without a certificate its kubelet may not talk to the API server.`,
    // In its own name it asks with a certificate that is valid, for some days as a rule.
    confidence: own.some(({ spec }) => isBootstrap(spec.username)) ? 'certain' : 'likely',
    class: 'structural',
    evidence: own
      .slice(0, mostNamed)
      .map(({ metadata, spec }) =>
        evidence(
          ref('CertificateSigningRequest', metadata.name),
          'status.conditions',
          `none (${spec.username})`,
          readAt,
        ),
      ),
    remedies: [
      remedy(`See that the requests are of ${node}: whoever is approved joins the cluster under this name`, {
        command: command('oc', 'get', 'csr', ...names.slice(0, mostNamed)),
      }),
      remedy(`Read the subject: CN has to be system:node:${node}, and O system:nodes`, {
        command: subjectsOf(names.slice(0, mostNamed)),
      }),
      remedy(`Approve ${listed(names, 2)}; a second request for its serving certificate follows within a minute`, {
        command: command('oc', 'adm', 'certificate', 'approve', ...names.slice(0, mostNamed)),
        risk: 'low',
      }),
    ],
  });
}

/** Prints the subject of each request. */
function subjectsOf(names: readonly string[]): string {
  const one = (name: string) =>
    `oc get csr ${name} -o jsonpath={.spec.request} | base64 -d | openssl req -noout -subject`;
  const [first = ''] = names;
  if (names.length === 1) return one(command(first));
  return `for csr in ${command(...names)}; do ${one('"$csr"')}; done`;
}
