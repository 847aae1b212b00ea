import { Buffer } from 'node:buffer';
import type { WebHandler } from '../../functions/shell/answer.ts';
import type { WebRequest } from '../../functions/shell/exchange.ts';
import type { GitHost } from '../openshift/argocd/git-host.ts';
import type { GitPush } from '../openshift/argocd/git-repository.ts';
import type { Routes } from '../run/local-server.ts';
import { BareCopy } from './bare-copy.ts';
import { cgiAnswer } from './cgi-answer.ts';
import { hasGit, runGit } from './git-program.ts';

export interface GitServed {
  readonly host: GitHost;
  /** Of the repositories' addresses, as `https://git.example.com`. */
  readonly origin: string;
  /** Where the repositories are kept; it is made, and stays. */
  readonly folder: string;
  /** Called after each push that Git has received, before the person who pushed is answered. */
  readonly onReceived: (push: GitPush) => Promise<void>;
}

/** Below `/git/`: the repositories of a simulated host, to be cloned, changed and pushed to with Git itself. None
 *  where this machine has no Git. */
export async function gitRoutes(served: GitServed): Promise<Routes> {
  return (await hasGit()) ? { '* /git/{proxy+}': serveGit(served) } : {};
}

/** `/git/acme/platform.git/info/refs` and the two services. Nothing else of Git's server is needed: clients of the
 *  last fifteen years use these. Source: git-http-backend(1), gitprotocol-http(5). */
const gitPath = /^\/git\/([\w.-]{1,100})\/([\w.-]{1,100}?)\.git(\/info\/refs|\/git-upload-pack|\/git-receive-pack)$/;

function serveGit({ host, origin, folder, onReceived }: GitServed): WebHandler {
  const copies = new Map<string, Promise<BareCopy>>();
  let last: Promise<unknown> = Promise.resolve();
  const copyOf = (fullName: string) => {
    const repository = host.find(`${origin}/${fullName}`);
    if (repository === undefined) return undefined;
    const copy = copies.get(fullName) ?? BareCopy.create(repository, folder);
    copies.set(fullName, copy);
    return copy;
  };
  return async (request) => {
    const [, owner, name, service] = gitPath.exec(new URL(request.url).pathname) ?? [];
    const opening = service === undefined ? undefined : copyOf(`${owner}/${name}`);
    if (opening === undefined) return new Response('there is no such repository\n', { status: 404 });
    // One after the other: a push is brought over before anybody sees what it was based on.
    const turn = last.then(async () => {
      const copy = await opening;
      if (service !== '/git-receive-pack') {
        await copy.bring();
        return backend(request, folder);
      }
      const { answer, pushes } = await copy.receive(() => backend(request, folder));
      for (const push of pushes) await onReceived(push);
      return answer;
    });
    last = turn.catch(() => undefined);
    return turn;
  };
}

/** Git's own server. Its answer names the status; an error of its own is in its log alone. Throws GitFailed. */
async function backend({ method, url, headers, body }: WebRequest, folder: string): Promise<Response> {
  const { pathname, search } = new URL(url);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  const input = Buffer.concat(chunks);
  const env = {
    GIT_PROJECT_ROOT: folder,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: pathname.slice('/git'.length),
    QUERY_STRING: search.slice(1),
    REQUEST_METHOD: method,
    CONTENT_TYPE: headers.get('content-type') ?? '',
    CONTENT_LENGTH: String(input.length),
    HTTP_CONTENT_ENCODING: headers.get('content-encoding') ?? '',
    GIT_PROTOCOL: headers.get('git-protocol') ?? '',
    REMOTE_ADDR: '127.0.0.1',
  };
  return cgiAnswer(await runGit({ args: ['http-backend'], input, env }));
}
