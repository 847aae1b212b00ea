import { expect, type TestAPI } from 'vitest';

/** A running API server, real or simulated. */
export interface Endpoint {
  /** Sends with a good token unless the init brings its own authorization header. */
  request(path: string, init?: RequestInit): Promise<Response>;
}

export interface Answer {
  readonly code: number;
  readonly type: string;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are looked into by the assertions
  readonly body: any;
}

const pools = '/apis/machineconfiguration.openshift.io/v1/machineconfigpools';
const mediaTypes = { merge: 'application/merge-patch+json', json: 'application/json-patch+json' };

function client(endpoint: () => Endpoint) {
  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const init = {
      method,
      headers: {
        'user-agent': 'dialect/1',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
    };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await endpoint().request(path, body === undefined ? init : { ...init, body: text });
    const answer = await response.text();
    return {
      code: response.status,
      type: response.headers.get('content-type') ?? '',
      text: answer,
      body: parsed(answer),
    };
  }
  return {
    get: (path: string, headers?: Record<string, string>) => call('GET', path, undefined, headers),
    post: (path: string, body: unknown, headers?: Record<string, string>) => call('POST', path, body, headers),
    put: (path: string, body: unknown) => call('PUT', path, body),
    patch: (path: string, body: unknown, as: keyof typeof mediaTypes = 'merge') =>
      call('PATCH', path, body, { 'content-type': mediaTypes[as] }),
    patchAs: (contentType: string, path: string, body: unknown) =>
      call('PATCH', path, body, { 'content-type': contentType }),
    remove: (path: string, body?: unknown) => call('DELETE', path, body),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function pool(name: string, spec: object = { paused: false }, metadata: object = {}): object {
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfigPool',
    metadata: { name, ...metadata },
    spec,
  };
}

const jobs = '/apis/batch/v1/namespaces/default/jobs';

function job(name: string, spec: object = {}, template: object = {}): object {
  const pod = { restartPolicy: 'Never', containers: [{ name: 'a', image: 'b' }] };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: { template: { metadata: template, spec: pod }, ...spec },
  };
}

const unchecked = {
  reason: 'FieldValueInvalid',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
  field: '<nil>',
};

/**
 * How the Kubernetes API answers, as far as anybody here depends on it. The same list holds for a real kube-apiserver
 * 1.34 with the definitions of OpenShift and Argo CD, and for the simulated one. It uses objects whose names begin with
 * `dialect-` and removes them.
 */
export function kubernetesDialect(test: TestAPI, endpoint: () => Endpoint): void {
  const api = client(endpoint);
  const poolDetails = (name: string) => ({
    name,
    group: 'machineconfiguration.openshift.io',
    kind: 'machineconfigpools',
  });
  const failure = (code: number, reason: string, message: string, details?: object) => ({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details && { details }),
    code,
  });

  /** A fresh pool for one test. */
  async function makePool(name: string, spec?: object, metadata?: object): Promise<Answer> {
    await api.remove(`${pools}/${name}`);
    return api.post(pools, pool(name, spec, metadata));
  }

  test('a wrong token is 401', async () => {
    const answer = await api.get(pools, { authorization: 'Bearer wrong' });

    expect(answer).toMatchObject({ code: 401, body: failure(401, 'Unauthorized', 'Unauthorized') });
  });

  test('no token is 403 for an anonymous user', async () => {
    const answer = await api.get(pools, { authorization: '' });

    expect(answer.code).toBe(403);
    expect(answer.body.message).toContain('User "system:anonymous" cannot list resource "machineconfigpools"');
  });

  test('health and version need no token', async () => {
    const ready = await api.get('/readyz', { authorization: '' });
    const version = await api.get('/version', { authorization: '' });

    expect(ready).toMatchObject({ code: 200, text: 'ok' });
    expect(version.body).toMatchObject({
      major: '1',
      minor: expect.any(String),
      gitVersion: expect.stringMatching(/^v1\./),
    });
  });

  test('a group that is not served, and a kind that a served custom group lacks, is a plain page not found', async () => {
    const group = await api.get('/apis/nobody.example/v1/things');
    const kind = await api.get('/apis/machineconfiguration.openshift.io/v1/things');

    expect(group).toMatchObject({ code: 404, text: '404 page not found\n', type: 'text/plain; charset=utf-8' });
    expect(kind).toMatchObject({ code: 404, text: '404 page not found\n' });
  });

  test('an unknown kind of the core group is 404 with a Status', async () => {
    const answer = await api.get('/api/v1/things');

    expect(answer.code).toBe(404);
    expect(answer.body).toEqual(failure(404, 'NotFound', 'the server could not find the requested resource', {}));
  });

  test('a missing object is 404 with a Status that names it', async () => {
    const custom = await api.get(`${pools}/dialect-none`);
    const core = await api.get('/api/v1/nodes/dialect-none');

    const message = 'machineconfigpools.machineconfiguration.openshift.io "dialect-none" not found';
    expect(custom.body).toEqual(failure(404, 'NotFound', message, poolDetails('dialect-none')));
    expect(core.body).toEqual(
      failure(404, 'NotFound', 'nodes "dialect-none" not found', { name: 'dialect-none', kind: 'nodes' }),
    );
  });

  test('a created object is 201 with generation 1, no status, and its maker as owner of every field', async () => {
    const made = await makePool(
      'dialect-made',
      { paused: false, maxUnavailable: 1, nodeSelector: { matchLabels: { a: 'b' } } },
      { annotations: { x: 'y' }, labels: { a: 'b' } },
    );

    expect(made.code).toBe(201);
    expect(made.body.metadata).toMatchObject({
      generation: 1,
      uid: expect.any(String),
      creationTimestamp: expect.stringMatching(/:\d\dZ$/),
    });
    expect(made.body.metadata.managedFields).toEqual([
      {
        manager: 'dialect',
        operation: 'Update',
        apiVersion: 'machineconfiguration.openshift.io/v1',
        time: expect.stringMatching(/:\d\dZ$/),
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:annotations': { '.': {}, 'f:x': {} }, 'f:labels': { '.': {}, 'f:a': {} } },
          'f:spec': { '.': {}, 'f:maxUnavailable': {}, 'f:nodeSelector': {}, 'f:paused': {} },
        },
      },
    ]);
    await api.remove(`${pools}/dialect-made`);
  });

  test('a second object of the name is 409 AlreadyExists', async () => {
    await makePool('dialect-twice');
    const again = await api.post(pools, pool('dialect-twice'));

    const message = 'machineconfigpools.machineconfiguration.openshift.io "dialect-twice" already exists';
    expect(again.body).toEqual(failure(409, 'AlreadyExists', message, poolDetails('dialect-twice')));
    await api.remove(`${pools}/dialect-twice`);
  });

  test('status sent with a new object is dropped', async () => {
    await api.remove(`${pools}/dialect-status`);
    const made = await api.post(pools, { ...pool('dialect-status'), status: { machineCount: 3 } });

    expect(made.body.status).toBeUndefined();
    await api.remove(`${pools}/dialect-status`);
  });

  test('generateName makes a name of its own', async () => {
    const made = await api.post(pools, { ...pool(''), metadata: { generateName: 'dialect-' } });

    expect(made.body.metadata.name).toMatch(/^dialect-[a-z0-9]{5}$/);
    await api.remove(`${pools}/${made.body.metadata.name}`);
  });

  test.each([
    [
      'broken JSON',
      '{bad',
      400,
      /^the object provided is unrecognized \(must be of type MachineConfigPool\): couldn't get version\/kind; json parse error: /,
    ],
    ['no kind', { metadata: { name: 'dialect-x' } }, 400, /Object 'Kind' is missing in /],
    [
      'another kind',
      { ...pool('dialect-x'), kind: 'Other' },
      422,
      /^Other\.machineconfiguration\.openshift\.io "dialect-x" is invalid: kind: Invalid value: "Other": must be MachineConfigPool$/,
    ],
    [
      'a bad name',
      pool('Dialect_X'),
      422,
      /^MachineConfigPool\.machineconfiguration\.openshift\.io "Dialect_X" is invalid: metadata\.name: Invalid value: "Dialect_X": a lowercase RFC 1123 subdomain/,
    ],
    ['no name', pool(''), 422, /metadata\.name: Required value: name or generateName is required/],
    [
      'a resourceVersion',
      pool('dialect-x', {}, { resourceVersion: '5' }),
      500,
      /^resourceVersion should not be set on objects to be created$/,
    ],
  ] as const)('a create with %s is refused', async (_, body, code, message) => {
    const answer = await api.post(pools, body);

    expect(answer.code).toBe(code);
    expect(answer.body.message).toMatch(message);
  });

  test('a merge patch moves generation and resourceVersion and gives the changed fields to the field manager', async () => {
    const made = await makePool('dialect-patch', { paused: false, maxUnavailable: 1 }, { annotations: { x: 'y' } });
    const body = { spec: { paused: true }, metadata: { annotations: { 'poolkeeper.dev/holds': '[]' } } };
    const answer = await api.patch(`${pools}/dialect-patch?fieldManager=poolkeeper`, body);

    expect(answer.code).toBe(200);
    expect(answer.body.spec).toEqual({ paused: true, maxUnavailable: 1 });
    expect(answer.body.metadata.generation).toBe(2);
    expect(answer.body.metadata.resourceVersion).not.toBe(made.body.metadata.resourceVersion);
    const owned = Object.fromEntries(
      answer.body.metadata.managedFields.map((entry: { manager: string; fieldsV1: object }) => [
        entry.manager,
        entry.fieldsV1,
      ]),
    );
    expect(owned).toEqual({
      dialect: {
        'f:metadata': { 'f:annotations': { '.': {}, 'f:x': {} } },
        'f:spec': { '.': {}, 'f:maxUnavailable': {} },
      },
      poolkeeper: { 'f:metadata': { 'f:annotations': { 'f:poolkeeper.dev/holds': {} } }, 'f:spec': { 'f:paused': {} } },
    });
    await api.remove(`${pools}/dialect-patch`);
  });

  test('writing the value that already exists changes nothing and takes nothing', async () => {
    const made = await makePool('dialect-same', { paused: true });
    const answer = await api.patch(`${pools}/dialect-same?fieldManager=poolkeeper`, { spec: { paused: true } });

    expect(answer.body.metadata).toEqual(made.body.metadata);
    await api.remove(`${pools}/dialect-same`);
  });

  test('a field taken back belongs to the one who wrote it last, and an emptied owner is gone', async () => {
    await makePool('dialect-back', { paused: false });
    await api.patch(`${pools}/dialect-back?fieldManager=poolkeeper`, { spec: { paused: true } });
    const answer = await api.patch(`${pools}/dialect-back?fieldManager=kubectl-patch`, { spec: { paused: false } });

    const managers = answer.body.metadata.managedFields.map((entry: { manager: string }) => entry.manager);
    expect(managers.sort()).toEqual(['dialect', 'kubectl-patch']);
    await api.remove(`${pools}/dialect-back`);
  });

  test('an annotation alone does not move the generation, null removes, and a removed paused is absent', async () => {
    await makePool('dialect-note', { paused: true }, { annotations: { x: 'y' } });
    const noted = await api.patch(`${pools}/dialect-note`, { metadata: { annotations: { z: '1', x: null } } });
    const unpaused = await api.patch(`${pools}/dialect-note`, { spec: { paused: null } });

    expect(noted.body.metadata).toMatchObject({ generation: 1, annotations: { z: '1' } });
    expect(unpaused.body.spec).toEqual({});
    expect(unpaused.body.metadata.generation).toBe(2);
    await api.remove(`${pools}/dialect-note`);
  });

  test('a stale resourceVersion in a merge patch is 409 Conflict, the newest goes through', async () => {
    const made = await makePool('dialect-guard');
    const { resourceVersion } = made.body.metadata;
    const first = await api.patch(`${pools}/dialect-guard`, { spec: { paused: true }, metadata: { resourceVersion } });
    const second = await api.patch(`${pools}/dialect-guard`, {
      spec: { paused: false },
      metadata: { resourceVersion },
    });

    expect(first.code).toBe(200);
    expect(second.body).toEqual(
      failure(
        409,
        'Conflict',
        'Operation cannot be fulfilled on machineconfigpools.machineconfiguration.openshift.io "dialect-guard": the object has been modified; please apply your changes to the latest version and try again',
        poolDetails('dialect-guard'),
      ),
    );
    await api.remove(`${pools}/dialect-guard`);
  });

  test('paused that is not a boolean is 422 with the field and the type', async () => {
    await makePool('dialect-type');
    const answer = await api.patch(`${pools}/dialect-type`, { spec: { paused: 'yes' } });

    const wrong = 'Invalid value: "string": spec.paused in body must be of type boolean: "string"';
    expect(answer.body).toEqual(
      failure(
        422,
        'Invalid',
        `MachineConfigPool.machineconfiguration.openshift.io "dialect-type" is invalid: [spec.paused: ${wrong}, <nil>: ${unchecked.message}]`,
        {
          name: 'dialect-type',
          group: 'machineconfiguration.openshift.io',
          kind: 'MachineConfigPool',
          causes: [{ reason: 'FieldValueTypeInvalid', message: wrong, field: 'spec.paused' }, unchecked],
        },
      ),
    );
    await api.remove(`${pools}/dialect-type`);
  });

  test.each([
    [
      'a list as maxUnavailable',
      { spec: { maxUnavailable: [1] } },
      422,
      /spec\.maxUnavailable in body must be of type integer,string: "array"/,
    ],
    [
      'a number in matchLabels',
      { spec: { nodeSelector: { matchLabels: { a: 1 } } } },
      422,
      /spec\.nodeSelector\.matchLabels\.a in body must be of type string: "integer"/,
    ],
    [
      'a text as configuration',
      { spec: { configuration: 'x' } },
      422,
      /spec\.configuration in body must be of type object: "string"/,
    ],
    ['no spec', { spec: null }, 422, /is invalid: \[spec: Required value, /],
    [
      'a number as annotation',
      { metadata: { annotations: { a: 1 } } },
      422,
      /json: cannot unmarshal number into Go struct field ObjectMeta\.annotations of type string$/,
    ],
    [
      'a bad label key',
      { metadata: { labels: { 'a b': '1' } } },
      422,
      /metadata\.labels: Invalid value: "a b": name part must consist of/,
    ],
    [
      'too long annotations',
      { metadata: { annotations: { a: 'x'.repeat(300_000) } } },
      422,
      /metadata\.annotations: Too long: may not be more than 262144 bytes/,
    ],
    [
      'another name',
      { metadata: { name: 'dialect-other' } },
      400,
      /^the name of the object \(dialect-other\) does not match the name on the URL \(dialect-bad\)$/,
    ],
    ['another uid', { metadata: { uid: '1' } }, 422, /metadata\.uid: Invalid value: "1": field is immutable/],
    [
      'a resourceVersion that is no number',
      { metadata: { resourceVersion: 'abc' }, spec: { paused: true } },
      500,
      /^strconv\.ParseUint: parsing "abc": invalid syntax$/,
    ],
    [
      'an array',
      [],
      400,
      /^error decoding patch: json: cannot unmarshal array into Go value of type map\[string\]interface \{\}$/,
    ],
    ['a text', '"x"', 400, /^error decoding patch: json: cannot unmarshal string/],
    ['broken JSON', '{bad', 400, /^error decoding patch: /],
    ['nothing', '', 400, /^error decoding patch: unexpected end of JSON input$/],
  ] as const)('a merge patch with %s is refused', async (_, body, code, message) => {
    await makePool('dialect-bad');
    const answer = await api.patch(`${pools}/dialect-bad`, body);

    expect(answer.code).toBe(code);
    expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', code });
    expect(answer.body.message).toMatch(message);
    await api.remove(`${pools}/dialect-bad`);
  });

  test('percentages are accepted as maxUnavailable, and generation and creationTimestamp cannot be set', async () => {
    const made = await makePool('dialect-own');
    const answer = await api.patch(`${pools}/dialect-own`, {
      metadata: { generation: 77, creationTimestamp: null },
      spec: { maxUnavailable: '10%' },
    });

    expect(answer.body.spec.maxUnavailable).toBe('10%');
    expect(answer.body.metadata).toMatchObject({
      generation: 2,
      creationTimestamp: made.body.metadata.creationTimestamp,
    });
    await api.remove(`${pools}/dialect-own`);
  });

  test('a patch of a missing object is 404', async () => {
    const answer = await api.patch(`${pools}/dialect-none`, { spec: { paused: true } });

    expect(answer).toMatchObject({ code: 404, body: { reason: 'NotFound' } });
  });

  test('plain JSON, text and strategic merge patches of a custom kind are 415', async () => {
    await makePool('dialect-media');
    const answers = await Promise.all(
      ['application/json', 'text/plain', 'application/strategic-merge-patch+json'].map((type) =>
        api.patchAs(type, `${pools}/dialect-media`, { spec: { paused: true } }),
      ),
    );

    for (const answer of answers) expect(answer.body).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' });
    await api.remove(`${pools}/dialect-media`);
  });

  test('JSON patches are applied as a whole or not at all', async () => {
    await makePool('dialect-json', { paused: false });
    const at = `${pools}/dialect-json`;
    const applied = await api.patch(
      at,
      [
        { op: 'test', path: '/spec/paused', value: false },
        { op: 'replace', path: '/spec/paused', value: true },
      ],
      'json',
    );
    const untrue = await api.patch(
      at,
      [
        { op: 'test', path: '/spec/paused', value: false },
        { op: 'remove', path: '/spec/paused' },
      ],
      'json',
    );
    const nowhere = await api.patch(at, [{ op: 'replace', path: '/spec/none/x', value: 1 }], 'json');
    const object = await api.patch(at, { spec: { paused: true } }, 'json');

    const refused = failure(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
    expect(applied).toMatchObject({ code: 200, body: { spec: { paused: true } } });
    expect(untrue.body).toEqual(refused);
    expect(nowhere.body).toEqual(refused);
    expect(object.body).toEqual(
      failure(
        400,
        'BadRequest',
        'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
      ),
    );
    await api.remove(at);
  });

  test('dryRun=All answers as if it had been done and does nothing', async () => {
    const made = await makePool('dialect-dry', { paused: false });
    const patched = await api.patch(`${pools}/dialect-dry?dryRun=All`, { spec: { paused: true } });
    const created = await api.post(`${pools}?dryRun=All`, pool('dialect-dry2'));
    const removed = await api.remove(`${pools}/dialect-dry?dryRun=All`);
    const after = await api.get(`${pools}/dialect-dry`);
    const other = await api.patch(`${pools}/dialect-dry?dryRun=Some`, { spec: { paused: true } });

    expect(patched.body).toMatchObject({
      spec: { paused: true },
      metadata: { generation: 2, resourceVersion: made.body.metadata.resourceVersion },
    });
    expect(created.code).toBe(201);
    expect(removed.body.status).toBe('Success');
    expect(after.body).toEqual(made.body);
    expect(other.body.message).toBe(
      'PatchOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
    );
    await api.remove(`${pools}/dialect-dry`);
  });

  test('status is written by its own path only, which ignores the spec and does not move the generation', async () => {
    await makePool('dialect-sub', { paused: false });
    const ignored = await api.patch(`${pools}/dialect-sub`, { status: { machineCount: 3 } });
    const written = await api.patch(`${pools}/dialect-sub/status?fieldManager=observer`, {
      status: { machineCount: 3 },
      spec: { paused: true },
    });
    const wrong = await api.patch(`${pools}/dialect-sub/status`, { status: { machineCount: 'a' } });

    expect(ignored.body.status).toBeUndefined();
    expect(written.body).toMatchObject({
      spec: { paused: false },
      status: { machineCount: 3 },
      metadata: { generation: 1 },
    });
    expect(written.body.metadata.managedFields).toContainEqual(
      expect.objectContaining({
        manager: 'observer',
        subresource: 'status',
        fieldsV1: { 'f:status': { '.': {}, 'f:machineCount': {} } },
      }),
    );
    expect(wrong.body.message).toContain(
      'status.machineCount: Invalid value: "string": machineCount in body must be of type integer: "string"',
    );
    await api.remove(`${pools}/dialect-sub`);
  });

  test('a subresource that the kind lacks is 404', async () => {
    await makePool('dialect-scale');
    const answer = await api.get(`${pools}/dialect-scale/scale`);

    expect(answer).toMatchObject({ code: 404, body: { reason: 'NotFound' } });
    await api.remove(`${pools}/dialect-scale`);
  });

  test('a PUT needs the newest resourceVersion and the name of its path', async () => {
    const made = await makePool('dialect-put', { paused: false });
    const at = `${pools}/dialect-put`;
    const unversioned = await api.put(at, pool('dialect-put'));
    const stale = await api.put(at, pool('dialect-put', {}, { resourceVersion: '1' }));
    const renamed = await api.put(at, pool('dialect-other'));
    const good = await api.put(
      at,
      pool('dialect-put', { paused: true }, { resourceVersion: made.body.metadata.resourceVersion }),
    );
    const missing = await api.put(`${pools}/dialect-none`, pool('dialect-none', {}, { resourceVersion: '1' }));

    expect(unversioned).toMatchObject({
      code: 422,
      body: {
        message: expect.stringContaining('metadata.resourceVersion: Invalid value: 0: must be specified for an update'),
      },
    });
    expect(stale).toMatchObject({ code: 409, body: { reason: 'Conflict' } });
    expect(renamed).toMatchObject({
      code: 400,
      body: { message: 'the name of the object (dialect-other) does not match the name on the URL (dialect-put)' },
    });
    expect(good).toMatchObject({ code: 200, body: { spec: { paused: true } } });
    expect(missing.code).toBe(404);
    await api.remove(at);
  });

  test('a delete answers with a Status that names the object and its uid', async () => {
    const made = await makePool('dialect-gone');
    const wrong = await api.remove(`${pools}/dialect-gone`, { preconditions: { uid: 'x' } });
    const answer = await api.remove(`${pools}/dialect-gone`);
    const again = await api.remove(`${pools}/dialect-gone`);

    expect(wrong).toMatchObject({
      code: 409,
      body: { reason: 'Conflict', message: expect.stringContaining('the UID in the precondition (x) does not match') },
    });
    expect(answer.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { ...poolDetails('dialect-gone'), uid: made.body.metadata.uid },
    });
    expect(again.code).toBe(404);
  });

  test('an object with a finalizer is marked, and gone when the finalizer is', async () => {
    await makePool('dialect-final', {}, { finalizers: ['example.com/wait'] });
    await api.remove(`${pools}/dialect-final`);
    const marked = await api.get(`${pools}/dialect-final`);
    await api.patch(`${pools}/dialect-final`, { metadata: { finalizers: null } });
    const after = await api.get(`${pools}/dialect-final`);

    expect(marked.body.metadata.deletionTimestamp).toMatch(/:\d\dZ$/);
    expect(after.code).toBe(404);
  });

  test('lists are chosen by labels, also by sets, and by name', async () => {
    for (const [name, color] of [
      ['dialect-l1', 'red'],
      ['dialect-l2', 'blue'],
      ['dialect-l3', 'green'],
    ] as const)
      await makePool(name, {}, { labels: { color, dialect: 'list' } });
    const names = async (query: string) => {
      const { body } = await api.get(`${pools}?${query}`);
      return body.items.map((item: { metadata: { name: string } }) => item.metadata.name);
    };

    const chosen = {
      equal: await names('labelSelector=dialect%3Dlist,color%3Dred'),
      unequal: await names('labelSelector=dialect%3Dlist,color!%3Dred'),
      in: await names(`labelSelector=${encodeURIComponent('dialect=list,color in (red, blue)')}`),
      notIn: await names(`labelSelector=${encodeURIComponent('dialect=list,color notin (red)')}`),
      exists: await names('labelSelector=dialect,color'),
      absent: await names('labelSelector=dialect,!color'),
      name: await names('fieldSelector=metadata.name%3Ddialect-l2'),
    };
    const badLabels = await api.get(`${pools}?labelSelector=${encodeURIComponent('a in (')}`);
    const badField = await api.get(`${pools}?fieldSelector=spec.foo%3D1`);

    expect(chosen).toEqual({
      equal: ['dialect-l1'],
      unequal: ['dialect-l2', 'dialect-l3'],
      in: ['dialect-l1', 'dialect-l2'],
      notIn: ['dialect-l2', 'dialect-l3'],
      exists: ['dialect-l1', 'dialect-l2', 'dialect-l3'],
      absent: [],
      name: ['dialect-l2'],
    });
    expect(badLabels).toMatchObject({
      code: 400,
      body: { reason: 'BadRequest', message: expect.stringContaining('unable to parse requirement') },
    });
    expect(badField.body).toEqual(failure(400, 'BadRequest', 'field label not supported: spec.foo'));
    for (const name of ['dialect-l1', 'dialect-l2', 'dialect-l3']) await api.remove(`${pools}/${name}`);
  });

  test('long lists come in pages', async () => {
    for (const name of ['dialect-p1', 'dialect-p2', 'dialect-p3'])
      await makePool(name, {}, { labels: { dialect: 'page' } });
    const query = `${pools}?limit=2&labelSelector=dialect%3Dpage`;
    const first = await api.get(query);
    const second = await api.get(`${query}&continue=${first.body.metadata.continue}`);
    const broken = await api.get(`${pools}?limit=1&continue=abc`);
    const noNumber = await api.get(`${pools}?limit=x`);

    const names = (page: Answer) => page.body.items.map((item: { metadata: { name: string } }) => item.metadata.name);
    expect(names(first)).toEqual(['dialect-p1', 'dialect-p2']);
    expect(names(second)).toEqual(['dialect-p3']);
    expect(second.body.metadata.continue ?? '').toBe('');
    expect(broken).toMatchObject({ code: 400, body: { message: expect.stringContaining('invalid continue token') } });
    expect(noNumber.body.message).toBe('strconv.ParseInt: parsing "x": invalid syntax');
    for (const name of ['dialect-p1', 'dialect-p2', 'dialect-p3']) await api.remove(`${pools}/${name}`);
  });

  test('metadata alone and tables are served to who accepts them', async () => {
    await makePool('dialect-meta', {}, { annotations: { x: 'y' } });
    const as = (form: string) => ({ accept: `application/json;as=${form};g=meta.k8s.io;v=v1` });
    const one = await api.get(`${pools}/dialect-meta`, as('PartialObjectMetadata'));
    const list = await api.get(`${pools}?fieldSelector=metadata.name%3Ddialect-meta`, as('PartialObjectMetadataList'));
    const table = await api.get(`${pools}?fieldSelector=metadata.name%3Ddialect-meta`, as('Table'));
    const mixed = await api.get(pools, as('PartialObjectMetadata'));
    const html = await api.get(`${pools}/dialect-meta`, { accept: 'text/html' });

    expect(one.body).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'dialect-meta', annotations: { x: 'y' } },
    });
    expect(one.body.spec).toBeUndefined();
    expect(list.body).toMatchObject({
      kind: 'PartialObjectMetadataList',
      items: [{ kind: 'PartialObjectMetadata', metadata: { name: 'dialect-meta' } }],
    });
    expect(table.body).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      rows: [{ object: { metadata: { name: 'dialect-meta' } } }],
    });
    expect(table.body.columnDefinitions[0].name).toBe('Name');
    expect(table.body.rows[0].cells[0]).toBe('dialect-meta');
    expect(mixed.code).toBe(406);
    expect(html).toMatchObject({ code: 406, body: { reason: 'NotAcceptable' } });
    await api.remove(`${pools}/dialect-meta`);
  });

  test('a watch from a version tells what happened since, in order', async () => {
    const made = await makePool('dialect-watch', { paused: false });
    await api.patch(`${pools}/dialect-watch`, { spec: { paused: true } });
    await api.remove(`${pools}/dialect-watch`);
    const query = `watch=1&resourceVersion=${made.body.metadata.resourceVersion}&fieldSelector=metadata.name%3Ddialect-watch`;
    const events = await watched(endpoint(), `${pools}?${query}`, 2);

    expect(events.map(({ type, object }) => [type, object.metadata.name, object.spec.paused])).toEqual([
      ['MODIFIED', 'dialect-watch', true],
      ['DELETED', 'dialect-watch', true],
    ]);
  });

  test('a watch without a version begins with what is there', async () => {
    await makePool('dialect-first');
    const events = await watched(endpoint(), `${pools}?watch=true&fieldSelector=metadata.name%3Ddialect-first`, 1);

    expect(events).toMatchObject([{ type: 'ADDED', object: { metadata: { name: 'dialect-first' } } }]);
    await api.remove(`${pools}/dialect-first`);
  });

  test('an access review says that the holder of the token may', async () => {
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: {
        resourceAttributes: {
          verb: 'patch',
          group: 'machineconfiguration.openshift.io',
          resource: 'machineconfigpools',
        },
      },
    };
    const answer = await api.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review);

    expect(answer).toMatchObject({ code: 201, body: { kind: 'SelfSubjectAccessReview', status: { allowed: true } } });
  });

  test('groups and resources are discoverable', async () => {
    const core = await api.get('/api');
    const groups = await api.get('/apis');
    const resources = await api.get('/apis/machineconfiguration.openshift.io/v1');

    expect(core.body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    expect(groups.body.groups.map((group: { name: string }) => group.name)).toEqual(
      expect.arrayContaining(['machineconfiguration.openshift.io', 'argoproj.io', 'policy', 'apps']),
    );
    const listed = resources.body.resources.map((resource: { name: string }) => resource.name);
    expect(listed).toEqual(
      expect.arrayContaining([
        'machineconfigpools',
        'machineconfigpools/status',
        'machineconfigs',
        'machineconfignodes',
      ]),
    );
  });

  test('all groups are discovered at once by clients that ask for it, in the media type by which they know', async () => {
    const type = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

    const asked = await api.get('/apis', { accept: `${type},application/json` });
    const plain = await api.get('/apis');

    expect([asked.type, asked.body.kind]).toEqual([type, 'APIGroupDiscoveryList']);
    const versions = asked.body.items.flatMap((each: { versions: unknown[] }) => each.versions);
    expect(new Set(versions.map((each: { freshness: string }) => each.freshness))).toEqual(new Set(['Current']));
    expect([plain.type, plain.body.kind]).toEqual(['application/json', 'APIGroupList']);
  });

  test('kubectl apply is told that the fields of an object are checked here', async () => {
    const { body } = await api.get('/openapi/v3');
    const place = body.paths['api/v1'].serverRelativeURL as string;
    const core = (await api.get(place)).body;

    const { patch } = core.paths['/api/v1/namespaces/{namespace}/configmaps/{name}'];
    const names = patch.parameters.map(({ name }: { readonly name?: string }) => name);
    expect(names).toContain('fieldValidation');
    expect(patch['x-kubernetes-group-version-kind']).toEqual({ group: '', version: 'v1', kind: 'ConfigMap' });
  });

  test('a body over three mebibytes is 413', async () => {
    await makePool('dialect-big');
    const answer = await api.patch(`${pools}/dialect-big`, { metadata: { annotations: { a: 'x'.repeat(4_000_000) } } });

    expect(answer.code).toBe(413);
    await api.remove(`${pools}/dialect-big`);
  });

  test('a namespaced object needs a namespace that exists', async () => {
    const event = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'dialect' } };
    const answer = await api.post('/api/v1/namespaces/dialect-none/configmaps', event);

    expect(answer.body).toEqual(
      failure(404, 'NotFound', 'namespaces "dialect-none" not found', { name: 'dialect-none', kind: 'namespaces' }),
    );
  });

  test('an Application has no status path, and every change outside the metadata moves its generation', async () => {
    const at = '/apis/argoproj.io/v1alpha1/namespaces/default/applications';
    await api.remove(`${at}/dialect`);
    const spec = {
      project: 'default',
      destination: { server: 'https://kubernetes.default.svc' },
      source: { repoURL: 'https://git.example/a', path: '.' },
    };
    const made = await api.post(at, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: 'dialect' },
      spec,
    });
    const synced = await api.patch(`${at}/dialect`, { status: { sync: { status: 'Synced' } } });
    const noted = await api.patch(`${at}/dialect`, {
      metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } },
    });
    const status = await api.patch(`${at}/dialect/status`, { status: {} });

    expect(made).toMatchObject({ code: 201, body: { metadata: { generation: 1, namespace: 'default' } } });
    expect(synced.body).toMatchObject({ status: { sync: { status: 'Synced' } }, metadata: { generation: 2 } });
    expect(noted.body.metadata.generation).toBe(2);
    expect(status.code).toBe(404);
    await api.remove(`${at}/dialect`);
  });

  test('a node can be chosen by unschedulable, keeps its first status, and has no generation', async () => {
    await api.remove('/api/v1/nodes/dialect-node');
    const node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'dialect-node' },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    };
    const made = await api.post('/api/v1/nodes', node);
    await api.patchAs('application/strategic-merge-patch+json', '/api/v1/nodes/dialect-node', {
      spec: { unschedulable: true },
    });
    const cordoned = await api.get('/api/v1/nodes?fieldSelector=spec.unschedulable%3Dtrue');
    const wrong = await api.patch('/api/v1/nodes/dialect-node', { spec: { unschedulable: 'x' } });

    expect(made.body.status.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
    expect(made.body.metadata.generation).toBeUndefined();
    expect(cordoned.body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toContain(
      'dialect-node',
    );
    expect(wrong).toMatchObject({ code: 422, body: { reason: 'Invalid' } });
    await api.remove('/api/v1/nodes/dialect-node');
  });

  test('nodes are served as the table that kubectl shows, with as much of each object as is asked for', async () => {
    const paths = ['dialect-row', 'dialect-row-new'].map((name) => `/api/v1/nodes/${name}`);
    for (const path of paths) await api.remove(path);
    await api.post('/api/v1/nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name: 'dialect-row',
        labels: { 'node-role.kubernetes.io/worker': '', 'node-role.kubernetes.io/infra': '' },
      },
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
        nodeInfo: { kubeletVersion: 'v1.34.4', osImage: 'an image', kernelVersion: '5.14' },
      },
    });
    await api.post('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'dialect-row-new' } });
    const accept = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
    const table = async (query: string) => (await api.get(`${paths[0]}${query}`, accept)).body;

    const first = await table('');
    const fresh = (await api.get(`${paths[1]}`, accept)).body;
    const [metadata, whole, none] = [
      await table('?includeObject=Metadata'),
      await table('?includeObject=Object'),
      await table('?includeObject=None'),
    ];
    const wrong = await api.get(`${paths[0]}?includeObject=Some`, accept);
    for (const path of paths) await api.remove(path);

    expect(
      first.columnDefinitions.map(({ name, priority }: { name: string; priority: number }) => [name, priority]),
    ).toEqual([
      ['Name', 0],
      ['Status', 0],
      ['Roles', 0],
      ['Age', 0],
      ['Version', 0],
      ['Internal-IP', 1],
      ['External-IP', 1],
      ['OS-Image', 1],
      ['Kernel-Version', 1],
      ['Container-Runtime', 1],
    ]);
    expect(first.rows[0].cells.toSpliced(3, 1)).toEqual([
      'dialect-row',
      'Ready,SchedulingDisabled',
      'infra,worker',
      'v1.34.4',
      '10.0.0.1',
      '<none>',
      'an image',
      '5.14',
      '<unknown>',
    ]);
    expect(first.rows[0].cells[3]).toMatch(/^\d+s$/);
    expect(fresh.rows[0].cells.slice(1, 3)).toEqual(['Unknown', '<none>']);
    expect([first, metadata, whole].map(({ rows }) => rows[0].object.kind)).toEqual([
      'PartialObjectMetadata',
      'PartialObjectMetadata',
      'Node',
    ]);
    expect(none.rows[0].object).toBeNull();
    expect(wrong).toMatchObject({
      code: 400,
      body: {
        message:
          "Unable to convert to Table as requested: includeObject: Invalid value: \"Some\": must be 'Metadata', 'Object', 'None', or empty",
      },
    });
  });

  test('a Job gets its selector, labels and defaults; an empty selector is filled, one of its own is refused', async () => {
    await api.remove(`${jobs}/dialect-job`, { propagationPolicy: 'Background' });
    const made = await api.post(jobs, job('dialect-job', { selector: {} }, { labels: { x: 'y' } }));
    const dry = await api.post(`${jobs}?dryRun=All`, job('dialect-dry'));
    const missing = await api.get(`${jobs}/dialect-dry`);
    const own = await api.post(jobs, job('dialect-own', { selector: { matchLabels: { a: 'b' } } }));
    const changed = await api.patch(`${jobs}/dialect-job`, {
      spec: { template: { spec: { containers: [{ name: 'a', image: 'other' }] } } },
    });
    await api.remove(`${jobs}/dialect-job`, { propagationPolicy: 'Background' });

    const { uid } = made.body.metadata;
    const labels = {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': 'dialect-job',
      'controller-uid': uid,
      'job-name': 'dialect-job',
      x: 'y',
    };
    expect(made.code).toBe(201);
    expect(made.body).toMatchObject({
      metadata: { generation: 1, labels },
      spec: {
        parallelism: 1,
        completions: 1,
        backoffLimit: 6,
        manualSelector: false,
        completionMode: 'NonIndexed',
        suspend: false,
        podReplacementPolicy: 'TerminatingOrFailed',
        selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
        template: { metadata: { labels } },
      },
      status: {},
    });
    expect([dry.code, missing.code]).toEqual([201, 404]);
    expect(own).toMatchObject({ code: 422, body: { reason: 'Invalid' } });
    expect(own.body.details.causes.map(({ field }: { field: string }) => field)).toEqual([
      'spec.selector',
      'spec.template.metadata.labels',
    ]);
    expect(changed).toMatchObject({
      code: 422,
      body: {
        details: { causes: [{ field: 'spec.template', message: expect.stringMatching(/: field is immutable$/) }] },
      },
    });
  });

  test('a Job that cannot run is refused with every field that is wrong', async () => {
    const causesOf = async (body: unknown) => {
      const answer = await api.post(`${jobs}?dryRun=All`, body);
      return [answer.code, ...(answer.body.details?.causes ?? []).map(({ field }: { field: string }) => field)];
    };
    const template = (spec: object) => ({ template: { spec } });
    const containers = [{ name: 'a', image: 'b' }];

    expect(await causesOf({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'dialect-none' } })).toEqual([
      422,
      'spec.template.spec.containers',
      'spec.template.spec.restartPolicy',
    ]);
    expect(await causesOf(job('dialect-always', template({ containers, restartPolicy: 'Always' })))).toEqual([
      422,
      'spec.template.spec.restartPolicy',
    ]);
    expect(
      await causesOf(job('dialect-bad', template({ containers: [{ name: 'A B' }], restartPolicy: 'Never' }))),
    ).toEqual([422, 'spec.template.spec.containers[0].name', 'spec.template.spec.containers[0].image']);
    expect(
      await causesOf(job('dialect-less', { parallelism: -1, backoffLimit: -1, ttlSecondsAfterFinished: -1 })),
    ).toEqual([422, 'spec.parallelism', 'spec.backoffLimit', 'spec.ttlSecondsAfterFinished']);
    expect(await causesOf(job('d'.repeat(63)))).toEqual([201]);
    expect(await causesOf(job('d'.repeat(64)))).toEqual([422, 'spec.template.labels', 'spec.template.labels']);
    const strict = await api.post(`${jobs}?dryRun=All&fieldValidation=Strict`, job('dialect-x', { nonsense: 1 }));
    expect(strict.body.message).toBe(
      'Job in version "v1" cannot be handled as a Job: strict decoding error: unknown field "spec.nonsense"',
    );
  });

  test('a generated name has at most 63 characters', async () => {
    const { metadata, ...rest } = job('x') as { metadata: object };
    const made = await api.post(`${jobs}?dryRun=All`, { ...rest, metadata: { generateName: 'd'.repeat(70) } });

    expect(made.body.metadata.name).toMatch(/^d{58}[a-z0-9]{5}$/);
  });

  test('a Job that is deleted without a word about its pods leaves them', async () => {
    await api.post(jobs, job('dialect-orphans'));
    const deleted = await api.remove(`${jobs}/dialect-orphans`);
    await api.patch(`${jobs}/dialect-orphans`, { metadata: { finalizers: null } });

    expect(deleted.body).toMatchObject({ kind: 'Job', metadata: { finalizers: ['orphan'] } });
  });

  test('fields of a built-in kind are owned one by one, and elements of keyed lists by their key', async () => {
    await api.remove('/api/v1/nodes/dialect-fields');
    const status = { conditions: [{ type: 'Ready', status: 'True' }] };
    await api.post('/api/v1/nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'dialect-fields', labels: { a: 'b' } },
      status,
    });
    await api.patch('/api/v1/nodes/dialect-fields?fieldManager=cordoner', { spec: { unschedulable: true } });
    const answer = await api.patch('/api/v1/nodes/dialect-fields/status?fieldManager=reporter', {
      status: { conditions: [{ type: 'Ready', status: 'False', reason: 'x', message: 'y' }] },
    });

    const owned = Object.fromEntries(
      answer.body.metadata.managedFields.map((entry: { manager: string; fieldsV1: object }) => [
        entry.manager,
        entry.fieldsV1,
      ]),
    );
    expect(owned['cordoner']).toEqual({ 'f:spec': { 'f:unschedulable': {} } });
    expect(owned['reporter']['f:status']['f:conditions']['k:{"type":"Ready"}']).toMatchObject({
      'f:status': {},
      'f:reason': {},
      'f:message': {},
    });
    await api.remove('/api/v1/nodes/dialect-fields');
  });

  test('an eviction is refused by the budget that covers the pod, and by two that do', async () => {
    const pods = '/api/v1/namespaces/default/pods';
    const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
    for (const path of [`${pods}/dialect`, `${budgets}/dialect`, `${budgets}/dialect2`])
      await api.remove(path, { gracePeriodSeconds: 0 });
    const labels = { app: 'dialect' };
    await api.post(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'dialect', labels },
      spec: { nodeSelector: { dialect: 'nowhere' }, containers: [{ name: 'a', image: 'b' }] },
    });
    await api.patch(`${pods}/dialect/status`, {
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    });
    const budget = (name: string) => ({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name },
      spec: { minAvailable: 2, selector: { matchLabels: labels } },
    });
    const status = {
      observedGeneration: 1,
      disruptionsAllowed: 0,
      currentHealthy: 1,
      desiredHealthy: 2,
      expectedPods: 1,
    };
    await api.post(budgets, budget('dialect'));
    await api.patch(`${budgets}/dialect/status`, { status });
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'dialect', namespace: 'default' } };
    const refused = await api.post(`${pods}/dialect/eviction`, eviction);
    const renamed = await api.post(`${pods}/dialect/eviction`, { ...eviction, metadata: { name: 'other' } });
    const missing = await api.post(`${pods}/dialect-none/eviction`, {
      ...eviction,
      metadata: { name: 'dialect-none' },
    });
    await api.post(budgets, budget('dialect2'));
    const twice = await api.post(`${pods}/dialect/eviction`, eviction);
    await api.remove(`${budgets}/dialect2`);
    await api.remove(`${budgets}/dialect`);
    const evicted = await api.post(`${pods}/dialect/eviction`, eviction);

    expect(refused.body).toEqual(
      failure(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
        causes: [
          {
            reason: 'DisruptionBudget',
            message: 'The disruption budget dialect needs 2 healthy pods and has 1 currently',
          },
        ],
      }),
    );
    expect(renamed.body.message).toBe('name in URL does not match name in Eviction object');
    expect(missing.code).toBe(404);
    expect(twice).toMatchObject({
      code: 500,
      body: {
        message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      },
    });
    expect(evicted).toMatchObject({ code: 201, body: { status: 'Success' } });
    expect((await api.get(`${pods}/dialect`)).code).toBe(404);
  });
}

interface Seen {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: looked into by the assertions
  readonly object: any;
}

/** The first `count` events of a watch. */
export async function watched(endpoint: Endpoint, path: string, count: number): Promise<Seen[]> {
  const abort = new AbortController();
  const response = await endpoint.request(path, { signal: abort.signal });
  const events: Seen[] = [];
  let rest = '';
  for await (const chunk of response.body ?? []) {
    const lines = (rest + Buffer.from(chunk).toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    events.push(...lines.filter(Boolean).map((line) => JSON.parse(line) as Seen));
    if (events.length >= count) break;
  }
  abort.abort();
  return events;
}
