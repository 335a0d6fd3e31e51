// Request samples of an operation of an OpenAPI document. Pure functions, which Node can run too.

const indent = (text, by) => text.replaceAll("\n", `\n${" ".repeat(by)}`);
const inShell = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
/** An object as JavaScript would be written: keys without quotes where they need none. */
const inScript = (value) => JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, "$1$2:");

/** What a sample sends: the path with its parameters, the query that is needed, the headers, and the body. */
function requestOf({ origin, basePath, path, method, operation }) {
  const parameters = (operation.parameters ?? []).filter(({ example, required }) => required && example !== undefined);
  const of = (place) => parameters.filter((parameter) => parameter.in === place);
  const params = Object.fromEntries(of("path").map(({ name, example }) => [name, example]));
  const query = Object.fromEntries(of("query").map(({ name, example }) => [name, example]));
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name) => encodeURIComponent(params[name] ?? name));
  const search = new URLSearchParams(query).toString();
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const body = media && (media.example ?? Object.values(media.examples ?? {})[0]?.value);
  return {
    url: `${origin}${basePath}${filled}${search && `?${search}`}`,
    method: method.toUpperCase(),
    headers: (operation.parameters ?? []).filter(
      (one) => one.in === "header" && one.example && keyHeader.test(one.name),
    ),
    needsToken: (operation.security ?? []).length > 0,
    params,
    query,
    type,
    body,
  };
}

/** Headers by which a caller without a token identifies itself. */
const keyHeader = /Key$/;
const isJson = ({ type }) => type === "application/json";
const isForm = ({ type }) => type === "multipart/form-data" || type === "application/x-www-form-urlencoded";

function curl({ url, method, headers, needsToken, type, body }) {
  const lines = [`curl ${inShell(url)}`];
  const isPost = method === "POST" && body !== undefined;
  if (method !== "GET" && !isPost) lines[0] = `curl -X ${method} ${inShell(url)}`;
  if (needsToken) lines.push(`-H "Authorization: Bearer $TOKEN"`);
  for (const { name, example } of headers)
    if (name !== "Idempotency-Key") lines.push(`-H ${inShell(`${name}: ${example}`)}`);
  if (body !== undefined && isForm({ type }))
    for (const [name, value] of Object.entries(body)) lines.push(`-F ${inShell(`${name}=${value}`)}`);
  else if (body !== undefined) {
    lines.push(`-H ${inShell(`Content-Type: ${type}`)}`);
    lines.push(`-d ${inShell(typeof body === "string" ? body : JSON.stringify(body))}`);
  }
  return lines.join(" \\\n  ");
}

function byFetch({ url, method, headers, needsToken, type, body }, envelope) {
  const sent = [
    ...(needsToken ? [`Authorization: \`Bearer \${token}\``] : []),
    ...headers
      .filter(({ name }) => name !== "Idempotency-Key")
      .map(({ name, example }) => `${name}: ${JSON.stringify(example)}`),
    ...(body !== undefined && !isForm({ type }) ? [`"Content-Type": ${JSON.stringify(type)}`] : []),
  ];
  const options = [
    ...(method === "GET" ? [] : [`method: "${method}",`]),
    ...(sent.length > 0 ? [`headers: { ${sent.join(", ")} },`] : []),
    ...(body === undefined ? [] : [`body: ${indent(bodyOf(type, body), 2)},`]),
  ];
  const given = options.length > 0 ? `, {\n  ${options.join("\n  ")}\n}` : "";
  return `const response = await fetch(${JSON.stringify(url)}${given});\n${envelope}`;
}

function bodyOf(type, body) {
  if (isJson({ type })) return `JSON.stringify(${inScript(body)})`;
  if (isForm({ type })) return `new URLSearchParams(${inScript(body)})`;
  return typeof body === "string" ? JSON.stringify(body) : `JSON.stringify(${inScript(body)})`;
}

/** How the responses of each API are read. */
const envelopes = {
  social: `const { data, error } = await response.json();\nif (error) throw new Error(\`\${error.code}: \${error.message}\`);`,
  catalogue: "const { status, message, errors } = await response.json();",
};

function byClient({ params, query, body, type }, operationId, origin, isAdmin) {
  const given = Object.entries({ params, query, body: isJson({ type }) ? body : undefined }).filter(
    ([, value]) => value !== undefined && Object.keys(value).length > 0,
  );
  const input = given.length > 0 ? `, ${inScript(Object.fromEntries(given))}` : "";
  const [name, make, path] = isAdmin
    ? ["admin", "createAdmin", "@hubbub/client/admin"]
    : ["hubbub", "createClient", "@hubbub/client"];
  return `import { ${make} } from "${path}";

const ${name} = ${make}({ url: ${JSON.stringify(origin)} });
const data = await ${name}.request(${JSON.stringify(operationId)}${input});`;
}

/**
 * Returns the samples of an operation: `[{ label, source }]`.
 * @param origin of the service; `basePath` and `path`, a path of the document; `method`; `operation`, with its references
 *   followed
 */
export function samplesOf(call) {
  const request = requestOf(call);
  const isCatalogue = call.basePath.startsWith("/catalogue");
  const samples = [
    { label: "curl", source: curl(request) },
    { label: "fetch", source: byFetch(request, isCatalogue ? envelopes.catalogue : envelopes.social) },
  ];
  // The catalogue is for programs in any language; bodies that aren't JSON have no types.
  if (!isCatalogue && (request.body === undefined || isJson(request))) {
    const source = byClient(request, call.operation.operationId, call.origin, call.basePath.endsWith("/admin"));
    samples.splice(1, 0, { label: "Typed client", source });
  }
  return samples;
}
