// gateway/test/tmpbench.ts
import { writeFileSync } from "node:fs";
import { createServer as createServer2 } from "node:http";

// shared/contracts/failure.ts
var statusOfFailure = {
  VALIDATION_ERROR: 400,
  MALFORMED_JSON: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  GONE: 410,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503
};
var Failure = class _Failure extends Error {
  code;
  details;
  retryAfterSeconds;
  constructor(code, message, options = {}) {
    super(message, { cause: options.cause });
    this.name = "Failure";
    this.code = code;
    this.details = options.details ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
  get status() {
    return statusOfFailure[this.code];
  }
  toWire() {
    return {
      code: this.code,
      message: this.message,
      details: this.details,
      ...this.retryAfterSeconds === void 0 ? {} : { retryAfterSeconds: this.retryAfterSeconds }
    };
  }
  static fromWire({ code, message, ...options }) {
    return new _Failure(code in statusOfFailure ? code : "INTERNAL_ERROR", message, options);
  }
};
var invalid = (issues) => new Failure("VALIDATION_ERROR", issues.length === 1 ? describe(issues[0]) : `The request has ${issues.length} problems.`, {
  details: { issues }
});
var unavailable = (message, cause) => new Failure("SERVICE_UNAVAILABLE", message, { retryAfterSeconds: 1, cause });
var describe = ({ path, message }) => (path === "" ? `The body ${message}.` : `${path} ${message}.`).replace(/\.\.$/, ".");

// shared/runtime/bus.ts
import { connect, headers as createHeaders, Events } from "nats";

// shared/runtime/mongo.ts
import {
  MongoBulkWriteError,
  MongoClient,
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError
} from "mongodb";
var awayCodes = /* @__PURE__ */ new Set([91, 189, 10107, 11600, 11602, 13435, 13436]);
var isDatabaseAway = (error) => error instanceof MongoServerSelectionError || error instanceof MongoNetworkError || error instanceof MongoTopologyClosedError || error instanceof MongoServerError && awayCodes.has(Number(error.code));

// shared/runtime/failures.ts
function toFailure(error, request) {
  if (error instanceof Failure) return error;
  const fromServer = request && fastifyFailure(error, request);
  if (fromServer) return fromServer;
  if (isDatabaseAway(error)) return unavailable("The database does not answer.", error);
  return new Failure("INTERNAL_ERROR", "Something went wrong on our side.", {
    details: request ? { requestId: request.headers["x-request-id"] ?? request.id } : {},
    cause: error
  });
}
function fastifyFailure(error, request) {
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return tooLarge(request.routeOptions.bodyLimit);
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new Failure("UNSUPPORTED_MEDIA_TYPE", `A body of type "${request.headers["content-type"] ?? ""}" is not taken here.`);
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
    case "ECONNRESET":
      return new Failure("MALFORMED_JSON", "The body ended early.");
    default:
      return void 0;
  }
}
var tooLarge = (limitBytes) => new Failure("PAYLOAD_TOO_LARGE", `The body is larger than ${limitBytes} bytes.`, { details: { limitBytes } });

// shared/runtime/issues.ts
var issuesMax = 100;
var issuesOf = (error, locate = jsonPointer) => error.issues.slice(0, issuesMax).map((issue) => ({ path: locate(issue.path), message: sentence(issue) }));
var jsonPointer = (path) => path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
var queryPlace = (path) => `?${String(path[0] ?? "")}`;
function sentence(issue) {
  if (issue.input === void 0 && (issue.code === "invalid_type" || issue.code === "invalid_value" || issue.code === "custom")) {
    if (issue.message.startsWith("must ")) return issue.message;
    return isMissing(issue) ? "is required" : issue.message;
  }
  switch (issue.code) {
    case "invalid_type":
      return `must be ${article(issue.expected)}, but it is ${article(kindOf(issue.input))}`;
    case "invalid_value":
      return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "too_small":
      return `must ${bound("at least", issue.minimum, issue.origin, issue.inclusive)}`;
    case "too_big":
      return `must ${bound("at most", issue.maximum, issue.origin, issue.inclusive)}`;
    case "custom":
      return issue.message.startsWith("must ") ? issue.message : "must be an object";
    case "invalid_format":
      return issue.message.startsWith("must ") ? issue.message : `must be a valid ${issue.format}`;
    default:
      return issue.message;
  }
}
var isMissing = (issue) => issue.path.length > 0;
function bound(limit, value, origin, inclusive) {
  if (origin === "string") return `have ${limit} ${value} character${value === 1 ? "" : "s"}`;
  if (origin === "array" || origin === "set") return `have ${limit} ${value} item${value === 1 ? "" : "s"}`;
  return inclusive === false ? `be ${limit === "at least" ? "more" : "less"} than ${value}` : `be ${limit} ${value}`;
}
var kindOf = (value) => value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
var article = (kind) => {
  if (kind === "null" || kind === "undefined") return kind;
  const word = kind === "int" ? "integer" : kind;
  return `${/^[aeiou]/.test(word) ? "an" : "a"} ${word}`;
};

// shared/runtime/request.ts
var invalidFrom = (error, place) => invalid(issuesOf(error, place === "?" ? queryPlace : jsonPointer));

// shared/runtime/signature.ts
import { createHmac, timingSafeEqual } from "node:crypto";
var identityAgeMaxMs = 5 * 6e4;
var identityHeader = "x-assay-identity";
var sign = (secret, purpose, text2) => createHmac("sha256", secret).update(purpose).update("\0").update(text2).digest("base64url");
function isSignature(secret, purpose, text2, signature) {
  const expected = Buffer.from(sign(secret, purpose, text2));
  const given = Buffer.from(signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}
function sealIdentity(secret, identity2) {
  const text2 = Buffer.from(JSON.stringify({ ...identity2, issuedAt: Date.now() })).toString("base64url");
  return `${text2}.${sign(secret, "identity", text2)}`;
}
function openIdentity(secret, sealed, { stored = false } = {}) {
  const [text2, signature] = (sealed ?? "").split(".");
  if (!text2 || !signature || !isSignature(secret, "identity", text2, signature)) throw unsigned();
  const { issuedAt, ...identity2 } = JSON.parse(Buffer.from(text2, "base64url").toString());
  if (!stored && Math.abs(Date.now() - issuedAt) > identityAgeMaxMs) throw unsigned();
  return identity2;
}
var unsigned = () => new Failure("UNAUTHORIZED", "This request was not signed by the gateway or a service.");
var serviceIdentity = (organizationId, requestId = "") => ({
  organizationId,
  userId: "background-job",
  role: "service",
  apiKeyId: null,
  requestId
});

// shared/runtime/bus.ts
var failureHeader = "x-assay-failure";
var questionTimeoutMs = 3e3;
async function connectBus(options) {
  const { urls, name: name2, log } = options;
  const connection = await connect({
    servers: urls,
    name: name2,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 200,
    reconnectJitter: 100,
    waitOnFirstConnect: true,
    timeout: 3e3,
    pingInterval: 5e3
  });
  const lost = [];
  let connected = true;
  void watch(connection, (isUp) => {
    connected = isUp;
    log[isUp ? "info" : "warn"](isUp ? "the bus is back" : "the bus is lost");
    if (!isUp) for (const listener of lost) listener();
  });
  const bus = {
    isConnected: () => connected,
    asks: (...contracts2) => Object.fromEntries(contracts2.map((contract) => [contract.name, asksOf(bus, contract)])),
    answer: (contract, answers) => answerQuestions(bus, contract, answers),
    hear: (subject, listener) => {
      connection.subscribe(subject, { callback: (error, message) => !error && listener(message.json()) });
    },
    onDisconnect: (listener) => lost.push(listener),
    drain: async () => {
      if (!connection.isClosed()) await connection.drain().catch(() => connection.close());
    },
    options,
    connection
  };
  return bus;
}
async function watch(connection, changed) {
  for await (const { type } of connection.status()) {
    if (type === Events.Disconnect) changed(false);
    if (type === Events.Reconnect) changed(true);
  }
}
var subjectOf = (prefix, kind, service2, name2) => `${prefix}.${kind}.${service2}.${name2}`;
function asksOf(bus, contract) {
  return Object.fromEntries(
    Object.entries(contract.questions).map(([name2, question2]) => [
      name2,
      (identity2, payload2) => ask(bus, { service: contract.name, name: name2, question: question2, identity: identity2, payload: payload2 })
    ])
  );
}
async function ask(bus, {
  service: service2,
  name: name2,
  question: question2,
  identity: identity2,
  payload: payload2
}) {
  if (!bus.isConnected()) throw unavailable("A part of the service cannot be reached at the moment.");
  const headers = createHeaders();
  headers.set(identityHeader, sealIdentity(bus.options.secret, identity2));
  const message = await bus.connection.request(subjectOf(bus.options.prefix, "question", service2, name2), JSON.stringify(payload2), {
    timeout: question2.timeoutMs ?? questionTimeoutMs,
    headers
  }).catch((error) => {
    throw unavailable(
      "A part of the service does not answer at the moment.",
      new Error(`${service2}.${name2} was not answered`, { cause: error })
    );
  });
  if (message.headers?.has(failureHeader)) throw Failure.fromWire(message.json());
  return message.json();
}
function answerQuestions(bus, contract, answers) {
  for (const [name2, question2] of Object.entries(contract.questions)) {
    const handler = answers[name2];
    bus.connection.subscribe(subjectOf(bus.options.prefix, "question", contract.name, name2), {
      queue: contract.name,
      callback: (error, message) => {
        if (!error) void respond(bus, message, question2, handler);
      }
    });
  }
}
async function respond(bus, message, question2, handler) {
  try {
    const identity2 = openIdentity(bus.options.secret, message.headers?.get(identityHeader));
    message.respond(JSON.stringify(await handler(identity2, readPayload(question2, message))));
  } catch (error) {
    const failure2 = toFailure(error);
    if (failure2.code === "INTERNAL_ERROR")
      bus.options.log.error({ err: error, subject: message.subject }, "a question failed unexpectedly");
    const headers = createHeaders();
    headers.set(failureHeader, failure2.code);
    message.respond(JSON.stringify(failure2.toWire()), { headers });
  }
}
function readPayload({ payload: payload2 }, message) {
  const result = payload2.safeParse(message.json(), { reportInput: true });
  if (!result.success) throw invalidFrom(result.error, "");
  return result.data;
}

// shared/runtime/log.ts
import pino from "pino";
var createLog = ({ name: name2, level, destination }) => pino(
  { name: name2, level, base: { name: name2 }, redact: ["key", "authorization", "headers.authorization"] },
  destination ?? pino.destination({ fd: 1, sync: false })
);

// gateway/test/tmpbench.ts
import Fastify from "fastify";
import "nats";

// shared/contracts/catalog.ts
import { z as z5 } from "zod";

// shared/contracts/define.ts
import { z as z3 } from "zod";

// shared/contracts/page.ts
import { z as z2 } from "zod";

// shared/contracts/fields.ts
import { z } from "zod";
var isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
var text = (charactersMax, charactersMin = 0) => z.string().min(charactersMin).max(charactersMax).refine((value) => value.isWellFormed(), "must not contain half of a surrogate pair");
var name = () => text(256, 1);
var description = () => text(1e4);
var jsonObject = (about) => z.custom(isObject).meta({ description: about, override: { type: "object", additionalProperties: true } });
var id = () => z.uuid();
var reference = () => z.string().max(256);
var timestamp = () => z.iso.datetime();
var integerParameter = ({ min, max, default: byDefault }) => z.string().regex(/^[0-9]{1,10}$/, `must be an integer from ${min} to ${max}`).transform(Number).refine((value) => value >= min && value <= max, `must be an integer from ${min} to ${max}`).default(byDefault).meta({ override: { type: "integer", minimum: min, maximum: max, default: byDefault } });
var success = z.object({ success: z.literal(true) });
var deletedCount = z.object({ deleted: z.union([z.literal(0), z.literal(1)]) });

// shared/contracts/page.ts
var pageQuery = {
  limit: integerParameter({ min: 1, max: 100, default: 20 }),
  cursor: z2.string().max(4096).optional().meta({ description: "The `nextCursor` of the page before." })
};
var pageOf = (item) => z2.object({ data: z2.array(item), nextCursor: z2.string().nullable(), hasMore: z2.boolean() });

// shared/contracts/define.ts
var bodyBytesDefault = 1024 * 1024;
var operation = (definition) => definition;
var question = (definition) => definition;
var event = (definition) => definition;
var job = (definition) => definition;
var list = (definition) => ({
  ...definition,
  method: "GET",
  status: 200,
  reply: pageOf(definition.item)
});
var service = (definition) => ({ operations: {}, questions: {}, events: {}, jobs: {}, ...definition });
var queryOf = (definition) => "item" in definition ? (definition.query ?? emptyQuery).extend(pageQuery) : definition.query;
var emptyQuery = z3.object({});

// shared/contracts/payload.ts
import { z as z4 } from "zod";
var JsonText = class _JsonText {
  bytes;
  constructor(bytes) {
    this.bytes = bytes;
  }
  static of(value) {
    return new _JsonText(new TextEncoder().encode(JSON.stringify(value)));
  }
  get isObject() {
    return this.bytes[0] === 123;
  }
  toString() {
    return new TextDecoder().decode(this.bytes);
  }
  parse() {
    return JSON.parse(this.toString());
  }
};
var payloads = /* @__PURE__ */ new WeakSet();
var payload = (description2) => {
  const schema = z4.custom((value) => value instanceof JsonText && value.isObject).meta({ description: description2, override: { type: "object", additionalProperties: true } });
  payloads.add(schema);
  return schema;
};
var isPayload = (schema) => payloads.has(schema);

// shared/contracts/catalog.ts
var project = z5.object({ id: id(), name: name(), description: description() }).meta({ id: "Project", description: "What a team evaluates: holds testsets, systems, metrics and runs." });
var keys = z5.array(text(1024)).max(5e3);
var fieldMapping = z5.object({ inputs: keys, expected: keys, metadata: keys }).meta({ id: "FieldMapping", description: "The role of each top-level key of a testcase. A key that is nowhere counts as metadata." });
var testset = z5.object({
  id: id(),
  name: name(),
  description: description(),
  jsonSchema: payload("The JSON Schema of a testcase. 2020-12 unless `$schema` says otherwise."),
  fieldMapping
}).meta({ id: "Testset", description: "Testcases of one shape." });
var projectBody = z5.object({ name: name(), description: description() });
var testsetBody = testset.omit({ id: true });
var schemaBytesMax = 512 * 1024;
var exampleTestset = {
  name: "Support questions",
  description: "Questions that customers asked in March",
  jsonSchema: {
    type: "object",
    properties: { question: { type: "string" }, idealAnswer: { type: "string" }, topic: { type: "string" } },
    required: ["question", "idealAnswer"]
  },
  fieldMapping: { inputs: ["question"], expected: ["idealAnswer"], metadata: ["topic"] }
};
var exampleProject = { name: "Support bot", description: "Answers to customers" };
var exampleId = "019a9c1e-7d3a-7000-8000-0242ac120002";
var catalog = service({
  name: "catalog",
  summary: "Projects and testsets",
  operations: {
    createProject: operation({
      method: "POST",
      path: "/projects",
      summary: "Create a project",
      body: projectBody,
      reply: project,
      status: 201,
      example: { body: exampleProject, reply: { id: exampleId, ...exampleProject } }
    }),
    listProjects: list({ path: "/projects", summary: "List the projects, oldest first", item: project }),
    getProject: operation({ method: "GET", path: "/projects/:projectId", summary: "Get a project", reply: project, status: 200 }),
    updateProject: operation({
      method: "PATCH",
      path: "/projects/:projectId",
      summary: "Change a project",
      body: projectBody.partial(),
      reply: project,
      status: 200,
      example: { body: { description: "Answers to customers and partners" } }
    }),
    deleteProject: operation({
      method: "DELETE",
      path: "/projects/:projectId",
      summary: "Delete a project with all that is in it",
      reply: success,
      status: 200
    }),
    createTestset: operation({
      method: "POST",
      path: "/projects/:projectId/testsets",
      summary: "Create a testset",
      body: testsetBody,
      bodyBytesMax: schemaBytesMax,
      reply: testset,
      status: 201,
      example: { body: exampleTestset, reply: { id: exampleId, ...exampleTestset } }
    }),
    listTestsets: list({
      path: "/projects/:projectId/testsets",
      summary: "List the testsets of a project, oldest first",
      item: testset
    }),
    getTestset: operation({ method: "GET", path: "/testsets/:testsetId", summary: "Get a testset", reply: testset, status: 200 }),
    updateTestset: operation({
      method: "PATCH",
      path: "/testsets/:testsetId",
      summary: "Change a testset; its testcases are read under the new schema and mapping at once",
      body: testsetBody.partial(),
      bodyBytesMax: schemaBytesMax,
      reply: testset,
      status: 200,
      example: { body: { name: "Support questions, spring" } }
    }),
    deleteTestset: operation({
      method: "DELETE",
      path: "/testsets/:testsetId",
      summary: "Delete a testset with its testcases",
      reply: success,
      status: 200
    }),
    duplicateTestset: operation({
      method: "POST",
      path: "/testsets/:testsetId/duplicate",
      summary: "Copy a testset with its testcases",
      body: z5.object({ name: name().optional() }).optional(),
      reply: testset,
      status: 201,
      example: { body: { name: "Support questions (copy)" } }
    })
  },
  questions: {
    project: question({
      summary: "Is this project there?",
      payload: z5.object({ projectId: z5.string() }),
      reply: z5.object({ found: z5.boolean() })
    }),
    testset: question({
      summary: 'A testset with its schema and mapping; "unchanged" when the asker holds the current version',
      payload: z5.object({ testsetId: z5.string(), knownVersion: z5.number().optional() }),
      reply: z5.discriminatedUnion("outcome", [
        z5.object({ outcome: z5.literal("missing") }),
        z5.object({ outcome: z5.literal("unchanged") }),
        z5.object({
          outcome: z5.literal("found"),
          testset: z5.object({
            id: z5.string(),
            projectId: z5.string(),
            version: z5.number(),
            schemaText: z5.string(),
            schemaHash: z5.string(),
            fieldMapping
          })
        })
      ])
    })
  },
  events: {
    projectDeleted: event({ summary: "A project was deleted", payload: z5.object({ projectId: z5.string() }) }),
    testsetDeleted: event({ summary: "A testset was deleted", payload: z5.object({ testsetId: z5.string(), projectId: z5.string() }) })
  }
});

// shared/contracts/identity.ts
import { z as z6 } from "zod";

// shared/contracts/examples.ts
var exampleIds = {
  project: "019a9c1e-7d3a-7000-8000-0242ac120001",
  testset: "019a9c1e-7d3a-7000-8000-0242ac120002",
  testcase: "019a9c1e-7d3a-7000-8000-0242ac120003",
  metric: "019a9c1e-7d3a-7000-8000-0242ac120004",
  metricVersion: "019a9c1e-7d3a-7000-8000-0242ac120005",
  metricGroup: "019a9c1e-7d3a-7000-8000-0242ac120006",
  system: "019a9c1e-7d3a-7000-8000-0242ac120007",
  systemVersion: "019a9c1e-7d3a-7000-8000-0242ac120008",
  run: "019a9c1e-7d3a-7000-8000-0242ac120009",
  record: "019a9c1e-7d3a-7000-8000-0242ac12000a",
  user: "019a9c1e-7d3a-7000-8000-0242ac12000b",
  organization: "019a9c1e-7d3a-7000-8000-0242ac12000c",
  apiKey: "019a9c1e-7d3a-7000-8000-0242ac12000d",
  attachment: "019a9c1e-7d3a-7000-8000-0242ac12000e",
  tag: "019a9c1e-7d3a-7000-8000-0242ac12000f"
};
var exampleInstant = "2026-03-01T09:30:00.000Z";

// shared/contracts/identity.ts
var role = z6.enum(["admin", "member"]);
var organization = z6.object({ id: id(), name: name(), createdAt: timestamp() }).meta({ id: "Organization", examples: [{ id: exampleIds.organization, name: "Example Ltd", createdAt: exampleInstant }] });
var member = z6.object({ userId: id(), email: z6.email().max(320), name: name().nullable(), role, createdAt: timestamp() }).meta({
  id: "Member",
  examples: [{ userId: exampleIds.user, email: "ada@example.com", name: "Ada", role: "admin", createdAt: exampleInstant }]
});
var exampleKey = {
  id: exampleIds.apiKey,
  name: "CI",
  prefix: "ak_4f7Kq2",
  role: "member",
  createdByUserId: exampleIds.user,
  createdAt: exampleInstant,
  expiresAt: null,
  lastUsedAt: null
};
var apiKey = z6.object({
  id: id(),
  name: name(),
  prefix: z6.string().meta({ description: "The first characters of the key, to tell keys apart." }),
  role,
  createdByUserId: id().meta({ description: "The member as whom the key acts." }),
  createdAt: timestamp(),
  expiresAt: timestamp().nullable(),
  lastUsedAt: timestamp().nullable()
}).meta({ id: "ApiKey", examples: [exampleKey] });
var createdApiKey = apiKey.extend({ key: z6.string().optional().meta({ description: "The secret: shown once, never in a replay." }) }).meta({ id: "CreatedApiKey", examples: [{ ...exampleKey, key: "ak_\u2026" }] });
var identity = service({
  name: "identity",
  summary: "Organizations, members and API keys",
  operations: {
    getOrganization: operation({
      method: "GET",
      path: "/organization",
      summary: "Get the key's organization",
      reply: organization,
      status: 200
    }),
    listMembers: list({ path: "/members", summary: "List the members, oldest first", item: member }),
    createMember: operation({
      method: "POST",
      path: "/members",
      summary: "Add a member",
      access: "admin",
      body: z6.object({ email: z6.email().max(320), name: name().optional(), role: role.default("member") }),
      reply: member,
      status: 201,
      failures: ["CONFLICT"],
      example: { body: { email: "ada@example.com", name: "Ada" } }
    }),
    updateMember: operation({
      method: "PATCH",
      path: "/members/:userId",
      summary: "Change a member's e-mail address, name or role",
      access: "admin",
      body: z6.object({ email: z6.email().max(320), name: name().nullable(), role }).partial(),
      reply: member,
      status: 200,
      failures: ["CONFLICT"],
      example: { body: { role: "admin" } }
    }),
    deleteMember: operation({
      method: "DELETE",
      path: "/members/:userId",
      summary: "Remove a member; the member's keys end",
      access: "admin",
      reply: success,
      status: 200,
      failures: ["CONFLICT"]
    }),
    listApiKeys: list({ path: "/api-keys", summary: "List the API keys, oldest first; never a secret", item: apiKey }),
    createApiKey: operation({
      method: "POST",
      path: "/api-keys",
      summary: "Create an API key; its secret is in this reply and nowhere else",
      access: "admin",
      body: z6.object({ name: name(), role: role.default("member"), expiresAt: z6.iso.datetime({ offset: true }).nullable().optional() }),
      reply: createdApiKey,
      status: 201,
      shownOnce: ["key"],
      example: { body: { name: "CI" } }
    }),
    deleteApiKey: operation({
      method: "DELETE",
      path: "/api-keys/:apiKeyId",
      summary: "Revoke an API key, everywhere within a second",
      access: "admin",
      reply: success,
      status: 200
    })
  },
  questions: {
    verifyKey: question({
      summary: "Who is this key, by its SHA-256? Asked by the gateway",
      payload: z6.object({ keyHash: z6.string().max(128) }),
      reply: z6.discriminatedUnion("outcome", [
        z6.object({ outcome: z6.literal("unknown") }),
        z6.object({
          outcome: z6.literal("valid"),
          organizationId: z6.string(),
          userId: z6.string(),
          apiKeyId: z6.string(),
          role,
          /** Milliseconds since 1970, or null when the key does not expire. */
          expiresAtMs: z6.number().nullable()
        })
      ])
    }),
    isMember: question({
      summary: "Is this user a member of the organization?",
      payload: z6.object({ userId: z6.string() }),
      reply: z6.object({ found: z6.boolean() })
    }),
    createOrganization: question({
      summary: "Make an organization, its first admin and that admin's key. The operator's, not a client's",
      payload: z6.object({ name: name(), email: z6.email().default("admin@localhost.localdomain") }),
      reply: z6.object({ organization, key: z6.string() })
    }),
    listOrganizations: question({
      summary: "All organizations, oldest first; `next` is what to ask on after, or null at the end",
      payload: z6.object({ after: z6.string().optional() }),
      reply: z6.object({ organizations: z6.array(organization), next: z6.string().nullable() })
    }),
    createKey: question({
      summary: "Make another admin or member key of an organization's first admin. The operator's way back in",
      payload: z6.object({ organizationId: z6.string(), name: text(256, 1), role }),
      reply: z6.object({ apiKey, key: z6.string() })
    }),
    revokeKey: question({
      summary: "Revoke a key by its id",
      payload: z6.object({ apiKeyId: z6.string() }),
      reply: z6.object({ revoked: z6.boolean() })
    })
  },
  events: {
    keyRevoked: event({ summary: "A key is no longer good", payload: z6.object({ keyHash: z6.string() }) }),
    memberChanged: event({ summary: "A member has another role, or was removed", payload: z6.object({ userId: z6.string() }) })
  }
});

// shared/contracts/metrics.ts
import { z as z7 } from "zod";
var evalType = z7.enum(["ai", "human", "heuristic"]);
var outputType = z7.enum(["int", "float", "boolean"]);
var shared = { name: name(), description: description().nullable(), guidelines: text(1e5) };
var thresholds = {
  int: { outputType: z7.literal("int"), passingThreshold: z7.int().min(1).max(5) },
  float: { outputType: z7.literal("float"), passingThreshold: z7.number().min(0).max(1) },
  boolean: { outputType: z7.literal("boolean") }
};
var judged = {
  promptTemplate: text(2e5, 1).meta({ description: "A Jinja template, for example `{{ outputs.response }}`." }),
  evalModelName: text(256, 1),
  temperature: z7.number().min(0).max(2).nullable().meta({ description: "null: the provider's own default." })
};
var evaluated = {
  builtin: z7.object({ name: text(64, 1), options: jsonObject("What the evaluator is told; it names its own.").optional() }).optional().meta({ description: "The evaluator that scores. Without one, the scores come from clients." })
};
var parts = { ai: judged, human: {}, heuristic: evaluated };
var shapesOf = (type) => {
  const own = { ...shared, id: id(), evalType: z7.literal(type), ...parts[type] };
  return z7.discriminatedUnion("outputType", [
    z7.object({ ...own, ...thresholds.int }),
    z7.object({ ...own, ...thresholds.float }),
    z7.object({ ...own, ...thresholds.boolean })
  ]);
};
var metric = z7.discriminatedUnion("evalType", [shapesOf("ai"), shapesOf("human"), shapesOf("heuristic")]).meta({
  id: "Metric",
  description: "What is measured, in one of nine shapes: who scores (`evalType`) by what comes out (`outputType`).",
  examples: [
    {
      id: exampleIds.metric,
      name: "Same answer",
      description: null,
      evalType: "heuristic",
      outputType: "boolean",
      guidelines: "",
      builtin: { name: "exact_match", options: { output: "/response", expected: "/idealAnswer", ignoreCase: true } }
    }
  ]
});
var creatable = { description: description().nullable().optional(), guidelines: text(1e5).default("") };
var creationOf = (type) => {
  const own = { name: name(), ...creatable, evalType: z7.literal(type), ...parts[type] };
  const optionalJudge = type === "ai" ? { evalModelName: judged.evalModelName.optional(), temperature: judged.temperature.default(0) } : {};
  return z7.discriminatedUnion("outputType", [
    z7.object({ ...own, ...optionalJudge, outputType: z7.literal("int"), passingThreshold: thresholds.int.passingThreshold.default(4) }),
    z7.object({
      ...own,
      ...optionalJudge,
      outputType: z7.literal("float"),
      passingThreshold: thresholds.float.passingThreshold.default(0.9)
    }),
    z7.object({ ...own, ...optionalJudge, outputType: z7.literal("boolean") })
  ]);
};
var changeOf = (type) => {
  const own = { ...z7.object({ ...shared, ...parts[type] }).partial().shape, evalType: z7.literal(type) };
  return z7.discriminatedUnion("outputType", [
    z7.object({ ...own, outputType: z7.literal("int"), passingThreshold: thresholds.int.passingThreshold.optional() }),
    z7.object({ ...own, outputType: z7.literal("float"), passingThreshold: thresholds.float.passingThreshold.optional() }),
    z7.object({ ...own, outputType: z7.literal("boolean") })
  ]);
};
var metricCreation = z7.discriminatedUnion("evalType", [creationOf("ai"), creationOf("human"), creationOf("heuristic")]);
var metricChange = z7.discriminatedUnion("evalType", [changeOf("ai"), changeOf("human"), changeOf("heuristic")]);
var metricVersion = z7.object({
  metricVersionId: z7.string(),
  metricId: z7.string(),
  projectId: z7.string(),
  name: z7.string(),
  evalType,
  outputType,
  guidelines: z7.string(),
  passingThreshold: z7.number().nullable(),
  judge: z7.object({ promptTemplate: z7.string(), evalModelName: z7.string(), temperature: z7.number().nullable() }).nullable(),
  builtin: z7.object({ name: z7.string(), options: z7.record(z7.string(), z7.unknown()) }).nullable()
});
var metricIds = z7.array(z7.string().max(256)).max(100);
var metricGroup = z7.object({
  id: id(),
  projectId: id(),
  name: name(),
  description: description(),
  metricIds: z7.array(id()),
  createdAt: timestamp(),
  updatedAt: timestamp()
}).meta({
  id: "MetricGroup",
  description: "Metrics that are used together.",
  examples: [
    {
      id: exampleIds.metricGroup,
      projectId: exampleIds.project,
      name: "Release checks",
      description: "",
      metricIds: [exampleIds.metric],
      createdAt: exampleInstant,
      updatedAt: exampleInstant
    }
  ]
});
var metricBytesMax = 1024 * 1024;
var metrics = service({
  name: "metrics",
  summary: "Metrics, their immutable versions, and groups of metrics",
  operations: {
    createMetric: operation({
      method: "POST",
      path: "/projects/:projectId/metrics",
      summary: "Create a metric",
      body: metricCreation,
      bodyBytesMax: metricBytesMax,
      reply: metric,
      status: 201,
      example: {
        body: {
          name: "Same answer",
          evalType: "heuristic",
          outputType: "boolean",
          builtin: { name: "exact_match", options: { output: "/response", expected: "/idealAnswer", ignoreCase: true } }
        }
      }
    }),
    listMetrics: list({ path: "/projects/:projectId/metrics", summary: "List the metrics of a project, newest first", item: metric }),
    getMetric: operation({ method: "GET", path: "/metrics/:metricId", summary: "Get a metric", reply: metric, status: 200 }),
    updateMetric: operation({
      method: "PATCH",
      path: "/metrics/:metricId",
      summary: "Change a metric; a change of what scores makes a new version",
      body: metricChange,
      bodyBytesMax: metricBytesMax,
      reply: metric,
      status: 200,
      example: { body: { evalType: "heuristic", outputType: "boolean", name: "Same answer, any case" } }
    }),
    deleteMetric: operation({ method: "DELETE", path: "/metrics/:metricId", summary: "Delete a metric", reply: success, status: 200 }),
    createMetricGroup: operation({
      method: "POST",
      path: "/projects/:projectId/metric-groups",
      summary: "Create a group of metrics",
      body: z7.object({ name: name(), description: description().default(""), metricIds }),
      reply: metricGroup,
      status: 201,
      example: { body: { name: "Release checks", metricIds: [exampleIds.metric] } }
    }),
    listMetricGroups: list({
      path: "/projects/:projectId/metric-groups",
      summary: "List the metric groups of a project, newest first",
      item: metricGroup
    }),
    getMetricGroup: operation({
      method: "GET",
      path: "/metric-groups/:metricGroupId",
      summary: "Get a metric group",
      reply: metricGroup,
      status: 200
    }),
    updateMetricGroup: operation({
      method: "PATCH",
      path: "/metric-groups/:metricGroupId",
      summary: "Change a metric group",
      body: z7.object({ name: name(), description: description(), metricIds }).partial(),
      reply: metricGroup,
      status: 200,
      example: { body: { metricIds: [exampleIds.metric] } }
    }),
    deleteMetricGroup: operation({
      method: "DELETE",
      path: "/metric-groups/:metricGroupId",
      summary: "Delete a metric group; its metrics stay",
      reply: success,
      status: 200
    })
  },
  questions: {
    currentVersions: question({
      summary: "The current versions of a project's metrics, in the order asked; ids that are no metric of it are told",
      payload: z7.object({ projectId: z7.string(), metricIds: z7.array(z7.string()) }),
      reply: z7.object({ versions: z7.array(metricVersion), missing: z7.array(z7.string()) })
    }),
    versions: question({
      summary: "Metric versions by their ids; those that are not there are left out. A deleted metric still has its versions",
      payload: z7.object({ metricVersionIds: z7.array(z7.string()) }),
      reply: z7.object({ versions: z7.array(metricVersion) })
    }),
    forgetProject: question({
      summary: "A project was deleted: what is in it must be gone before the answer",
      payload: z7.object({ projectId: z7.string() }),
      reply: z7.object({})
    })
  }
});

// shared/contracts/run-records.ts
import { z as z9 } from "zod";

// shared/contracts/testcases.ts
import { z as z8 } from "zod";
var validationError = z8.object({ path: z8.string(), message: z8.string() }).meta({ id: "ValidationError", description: "What does not fit, and where: a JSON Pointer that starts with /data or /score." });
var exampleData = { question: "Where is my parcel?", idealAnswer: "Ask for the tracking number.", topic: "shipping" };
var testcase = z8.object({
  id: id(),
  testsetId: id(),
  jsonData: payload("The data, as it was sent."),
  inputs: payload("The entries of jsonData whose keys are inputs in the testset's mapping."),
  expected: payload("The entries of jsonData whose keys are expected."),
  validationErrors: z8.array(validationError).optional().meta({ description: "Only where the data breaks the testset's schema." })
}).meta({
  id: "Testcase",
  examples: [
    {
      id: exampleIds.testcase,
      testsetId: exampleIds.testset,
      jsonData: exampleData,
      inputs: { question: exampleData.question },
      expected: { idealAnswer: exampleData.idealAnswer }
    }
  ]
});
var jsonData = payload("The data: an object.");
var testcaseBytesMax = 4 * 1024 * 1024;
var testcases = service({
  name: "testcases",
  summary: "Testcases, checked against the schema of their testset",
  operations: {
    listTestcases: list({
      path: "/testsets/:testsetId/testcases",
      summary: "List the testcases of a testset, oldest first",
      item: testcase
    }),
    createTestcases: operation({
      method: "POST",
      path: "/testsets/:testsetId/testcases",
      summary: "Create 1 to 100 testcases, all or none",
      body: z8.object({ items: z8.array(z8.object({ jsonData })).min(1).max(100) }),
      bodyBytesMax: testcaseBytesMax,
      reply: z8.object({ items: z8.array(testcase) }),
      status: 201,
      example: { body: { items: [{ jsonData: exampleData }] } }
    }),
    getTestcase: operation({ method: "GET", path: "/testcases/:testcaseId", summary: "Get a testcase", reply: testcase, status: 200 }),
    updateTestcase: operation({
      method: "PUT",
      path: "/testcases/:testcaseId",
      summary: "Replace a testcase's data",
      body: z8.object({ jsonData }),
      bodyBytesMax: testcaseBytesMax,
      reply: testcase,
      status: 200,
      example: { body: { jsonData: exampleData } }
    }),
    deleteTestcases: operation({
      method: "POST",
      path: "/testcases/bulk-delete",
      summary: "Delete testcases; ids that are not there are no error",
      body: z8.object({ ids: z8.array(z8.string().max(256)).max(1e4) }),
      reply: success,
      status: 200,
      example: { body: { ids: [exampleIds.testcase] } }
    }),
    importTestcases: operation({
      method: "POST",
      path: "/testsets/:testsetId/testcases/import",
      summary: "Create any number of testcases from NDJSON, CSV with a header line, or a JSON array; an answer line an entry",
      streams: ["application/x-ndjson", "text/csv", "application/json"],
      replyStreams: ["application/x-ndjson"],
      status: 200,
      example: { body: exampleData }
    }),
    exportTestcases: operation({
      method: "GET",
      path: "/testsets/:testsetId/testcases/export",
      summary: "All testcases of a testset as NDJSON, CSV or a JSON array, streamed",
      query: z8.object({ format: z8.enum(["ndjson", "csv", "json"]).default("ndjson") }),
      replyStreams: ["application/x-ndjson", "text/csv", "application/json"],
      status: 200
    })
  },
  questions: {
    count: question({
      summary: "How many testcases does a testset have?",
      payload: z8.object({ testsetId: z8.string() }),
      reply: z8.object({ count: z8.number() })
    }),
    existing: question({
      summary: "Which of these ids are testcases of the testset?",
      payload: z8.object({ testsetId: z8.string().nullable(), ids: z8.array(z8.string()).max(1e3) }),
      reply: z8.object({ ids: z8.array(z8.string()) })
    }),
    copy: question({
      summary: "Copy all testcases of one testset under the id of another",
      payload: z8.object({ fromTestsetId: z8.string(), toTestsetId: z8.string() }),
      reply: z8.object({ count: z8.number() }),
      timeoutMs: 12e4
    })
  },
  events: {
    testcasesDeleted: event({
      summary: "Testcases were deleted one by one (a deleted testset is announced by catalog)",
      payload: z8.object({ testcaseIds: z8.array(z8.string()) })
    })
  }
});

// shared/contracts/run-records.ts
var runSource = z9.enum(["API", "Monitor", "Playground", "Kickoff"]);
var runStatus = z9.enum([
  "pending",
  "awaiting_execution",
  "running_execution",
  "awaiting_scoring",
  "running_scoring",
  "awaiting_human_scoring",
  "completed"
]);
var count = () => z9.int().min(0);
var scoringAccount = z9.object({ expected: count(), scored: count(), failed: count(), pending: count() }).meta({ id: "ScoringAccount" });
var exampleRun = {
  id: exampleIds.run,
  testsetId: exampleIds.testset,
  systemId: exampleIds.system,
  systemVersionId: exampleIds.systemVersion,
  metricIds: [exampleIds.metric],
  metricVersionIds: [exampleIds.metricVersion],
  numRecords: 200,
  numExpectedRecords: 200,
  numScores: 199,
  status: "completed",
  source: "API",
  createdAt: exampleInstant,
  scoring: { expected: 200, scored: 199, failed: 1, pending: 0 },
  costUsd: 0
};
var run = z9.object({
  id: id(),
  testsetId: id().nullable(),
  systemId: id().nullable(),
  systemVersionId: id().nullable(),
  metricIds: z9.array(id()),
  metricVersionIds: z9.array(id()),
  numRecords: count(),
  numExpectedRecords: count().nullable(),
  numScores: count(),
  status: runStatus.meta({ description: "Computed from progress, never set." }),
  source: runSource,
  createdAt: timestamp(),
  scoring: scoringAccount,
  costUsd: z9.number().meta({ description: "What the judges of this run cost, in US dollars." })
}).meta({ id: "Run", description: "One evaluation of one system version.", examples: [exampleRun] });
var scoreSource = z9.enum(["ai", "heuristic", "human"]);
var provenance = z9.object({
  metricVersionId: z9.string(),
  evaluator: z9.string(),
  model: z9.string().optional(),
  promptHash: z9.string().optional(),
  temperature: z9.number().nullable().optional(),
  votes: z9.int().optional(),
  inputTokens: z9.int().optional(),
  outputTokens: z9.int().optional(),
  costUsd: z9.number().optional(),
  durationMs: z9.number(),
  attempts: z9.int()
}).meta({ id: "Provenance" });
var exampleScore = {
  recordId: exampleIds.record,
  metricConfigId: exampleIds.metricVersion,
  userId: "background-job",
  score: { binaryScore: true, value: true, reasoning: "The output is the expected text." },
  source: "heuristic",
  createdAt: exampleInstant
};
var score = z9.object({
  recordId: id(),
  metricConfigId: id(),
  userId: z9.string().meta({ description: "A member's id, or `background-job` for what the service made." }),
  score: payload("Free JSON; expected to carry `binaryScore`, `intScore`, `floatScore` or `value`, and `reasoning`."),
  validationErrors: z9.array(validationError).optional(),
  source: scoreSource,
  createdAt: timestamp(),
  provenance: provenance.optional()
}).meta({ id: "Score", examples: [exampleScore] });
var payloads2 = {
  inputs: payload("What the system was given."),
  expected: payload("What it should have answered."),
  outputs: payload("What it did answer.")
};
var exampleRecord = {
  id: exampleIds.record,
  runId: exampleIds.run,
  testcaseId: exampleIds.testcase,
  inputs: { question: "Where is my parcel?" },
  expected: { idealAnswer: "Ask for the tracking number." },
  outputs: { response: "Could you tell me the tracking number?" }
};
var record = z9.object({ id: id(), runId: id(), testcaseId: id().optional(), ...payloads2 }).meta({ id: "Record", description: "What a system did with one input.", examples: [exampleRecord] });
var recordWithScores = record.extend({ scores: z9.array(score) }).meta({ id: "RecordWithScores", examples: [{ ...exampleRecord, scores: [exampleScore] }] });
var tagText = () => text(256, 1);
var recordBody = z9.object({
  ...payloads2,
  testcaseId: reference().nullish(),
  otelLinkId: text(512, 1).nullish().meta({ description: "A span; the same one in the same run gives the record that is there." }),
  sessionId: text(256, 1).nullish(),
  tags: z9.array(tagText()).max(50).optional()
});
var recordTag = z9.object({
  id: id(),
  recordId: id(),
  text: tagText(),
  source: z9.enum(["user", "otel"]),
  userId: z9.string().nullable(),
  createdAt: timestamp()
}).meta({
  id: "RecordTag",
  examples: [
    {
      id: exampleIds.tag,
      recordId: exampleIds.record,
      text: "regression",
      source: "user",
      userId: exampleIds.user,
      createdAt: exampleInstant
    }
  ]
});
var recordAssignment = z9.object({ id: id(), recordId: id(), assigneeUserId: z9.string(), assignedByUserId: z9.string(), createdAt: timestamp() }).meta({
  id: "RecordAssignment",
  examples: [
    {
      id: exampleIds.tag,
      recordId: exampleIds.record,
      assigneeUserId: exampleIds.user,
      assignedByUserId: exampleIds.user,
      createdAt: exampleInstant
    }
  ]
});
var annotation = z9.object({
  id: id(),
  recordId: id(),
  spanId: z9.string().nullable(),
  rating: z9.boolean().nullable(),
  comment: z9.string().nullable(),
  userId: z9.string(),
  createdAt: timestamp()
}).meta({
  id: "Annotation",
  examples: [
    {
      id: exampleIds.tag,
      recordId: exampleIds.record,
      spanId: null,
      rating: false,
      comment: "Too short",
      userId: exampleIds.user,
      createdAt: exampleInstant
    }
  ]
});
var dataOf = (item) => z9.object({ data: z9.array(item) });
var queued = z9.object({ queued: count().meta({ description: "How many scores will be made." }) });
var failureCode = z9.enum([
  "no_provider",
  "provider_error",
  "rate_limited",
  "invalid_answer",
  "template_error",
  "code_error",
  "timeout",
  "budget_exhausted"
]);
var scoreFailure = z9.object({ recordId: id(), metricVersionId: id(), code: failureCode, message: z9.string(), attempts: z9.int(), at: timestamp() }).meta({
  id: "ScoreFailure",
  examples: [
    {
      recordId: exampleIds.record,
      metricVersionId: exampleIds.metricVersion,
      code: "code_error",
      message: "The pointer /response finds nothing in outputs.",
      attempts: 1,
      at: exampleInstant
    }
  ]
});
var metricSummary = z9.object({
  metricId: id(),
  metricVersionId: id(),
  name: z9.string(),
  outputType,
  count: count().meta({ description: "Scores that carry a value." }),
  failed: count(),
  mean: z9.number().nullable(),
  passRate: z9.number().nullable(),
  confidenceInterval: z9.object({ low: z9.number(), high: z9.number(), level: z9.number() }).nullable(),
  method: z9.string().meta({ description: "How the interval was made." }),
  standardDeviation: z9.number().nullable(),
  distribution: z9.array(
    z9.object({
      value: z9.union([z9.number(), z9.boolean()]).optional(),
      low: z9.number().optional(),
      high: z9.number().optional(),
      count: count()
    })
  )
}).meta({ id: "MetricSummary" });
var judgementOutcome = z9.discriminatedUnion("kind", [
  z9.object({
    kind: z9.literal("score"),
    value: z9.union([z9.boolean(), z9.number()]),
    reasoning: z9.string(),
    source: z9.enum(["ai", "heuristic"]),
    provenance
  }),
  z9.object({ kind: z9.literal("failure"), code: failureCode, message: z9.string().max(2e3), attempts: z9.int() })
]);
var judgement = z9.object({ recordId: z9.string(), metricVersionId: z9.string(), outcome: judgementOutcome });
var recordBytesMax = 15 * 1024 * 1024;
var runRecords = service({
  name: "run-records",
  summary: "Runs, records, scores, tags, assignees and annotations",
  operations: {
    createRun: operation({
      method: "POST",
      path: "/projects/:projectId/runs",
      summary: "Start a run; pins the current version of each metric",
      body: z9.object({
        metricIds: z9.array(reference()).max(100),
        testsetId: reference().nullish(),
        systemVersionId: reference().nullish()
      }),
      reply: run,
      status: 201,
      example: { body: { metricIds: [exampleIds.metric], testsetId: exampleIds.testset, systemVersionId: exampleIds.systemVersion } }
    }),
    listRuns: list({
      path: "/projects/:projectId/runs",
      summary: "List the runs of a project, newest first",
      query: z9.object({ source: runSource.optional() }),
      item: run
    }),
    getRun: operation({ method: "GET", path: "/runs/:runId", summary: "Get a run with its accounts", reply: run, status: 200 }),
    getRunSummary: operation({
      method: "GET",
      path: "/runs/:runId/summary",
      summary: "Each metric's mean or pass rate, with its interval and distribution",
      reply: z9.object({ runId: id(), metrics: z9.array(metricSummary) }),
      status: 200
    }),
    listFailures: list({ path: "/runs/:runId/failures", summary: "List the scores that failed for good", item: scoreFailure }),
    retryRun: operation({
      method: "POST",
      path: "/runs/:runId/retry",
      summary: "Score anew all that failed",
      reply: queued,
      status: 202,
      example: { reply: { queued: 3 } }
    }),
    rescoreRun: operation({
      method: "POST",
      path: "/runs/:runId/rescore",
      summary: "Score anew with the metrics' current versions, which join the run",
      body: z9.object({ metricIds: z9.array(reference()).max(100).optional(), recordIds: z9.array(reference()).max(1e4).optional() }).optional(),
      reply: queued,
      status: 202,
      example: { body: { metricIds: [exampleIds.metric] } }
    }),
    createRecord: operation({
      method: "POST",
      path: "/runs/:runId/records",
      summary: "Add a record; answered when it is durable",
      body: recordBody,
      bodyBytesMax: recordBytesMax,
      reply: record,
      status: 201,
      statusWhenThere: 200,
      commitsIdempotencyKey: true,
      example: {
        body: {
          inputs: exampleRecord.inputs,
          expected: exampleRecord.expected,
          outputs: exampleRecord.outputs,
          testcaseId: exampleIds.testcase
        }
      }
    }),
    listRecords: list({
      path: "/runs/:runId/records",
      summary: "List the records of a run with all their scores, oldest first",
      query: z9.object({
        tags: z9.union([text(1e4, 1).transform((value) => [value]), z9.array(text(1e4, 1)).max(50)]).optional().meta({ override: { type: "array", items: { type: "string", minLength: 1 }, maxItems: 50 } })
      }),
      item: recordWithScores
    }),
    getRecord: operation({
      method: "GET",
      path: "/records/:recordId",
      summary: "Get a record with its scores",
      reply: recordWithScores,
      status: 200
    }),
    deleteRecord: operation({ method: "DELETE", path: "/records/:recordId", summary: "Delete a record", reply: success, status: 200 }),
    putScore: operation({
      method: "PUT",
      path: "/records/:recordId/scores/:metricConfigId",
      summary: "Give a score, or replace it; what does not fit the metric is stored and told",
      body: z9.object({ score: payload("The score: free JSON.").optional(), userId: reference().optional() }),
      reply: score,
      status: 200,
      example: { body: { score: { binaryScore: true, reasoning: "Says what was asked." } } }
    }),
    deleteScore: operation({
      method: "DELETE",
      path: "/records/:recordId/scores/:metricConfigId",
      summary: "Delete a score; one that the service makes is made anew",
      reply: deletedCount,
      status: 200
    }),
    listRecordTags: operation({
      method: "GET",
      path: "/records/:recordId/tags",
      summary: "The tags of a record",
      reply: dataOf(recordTag),
      status: 200
    }),
    createRecordTag: operation({
      method: "POST",
      path: "/records/:recordId/tags",
      summary: "Tag a record",
      body: z9.object({ text: tagText() }),
      reply: recordTag,
      status: 201,
      statusWhenThere: 200,
      example: { body: { text: "regression" } }
    }),
    deleteRecordTag: operation({
      method: "DELETE",
      path: "/records/:recordId/tags/:text",
      summary: "Take a tag off a record",
      params: { text: z9.string() },
      reply: deletedCount,
      status: 200
    }),
    listRecordAssignees: operation({
      method: "GET",
      path: "/records/:recordId/assignees",
      summary: "Who a record is assigned to",
      reply: dataOf(recordAssignment),
      status: 200
    }),
    createRecordAssignee: operation({
      method: "POST",
      path: "/records/:recordId/assignees",
      summary: "Assign a record to a member",
      body: z9.object({ assigneeUserId: reference() }),
      reply: recordAssignment,
      status: 201,
      statusWhenThere: 200,
      example: { body: { assigneeUserId: exampleIds.user } }
    }),
    deleteRecordAssignee: operation({
      method: "DELETE",
      path: "/records/:recordId/assignees/:assigneeUserId",
      summary: "End an assignment",
      params: { assigneeUserId: z9.string() },
      reply: deletedCount,
      status: 200
    }),
    listAnnotations: operation({
      method: "GET",
      path: "/records/:recordId/annotations",
      summary: "The annotations of a record, oldest first",
      reply: dataOf(annotation),
      status: 200
    }),
    createAnnotation: operation({
      method: "POST",
      path: "/records/:recordId/annotations",
      summary: "Annotate a record: a rating, a comment, or both",
      body: z9.object({ rating: z9.boolean().nullish(), comment: text(1e4).nullish(), spanId: text(256, 1).nullish() }),
      reply: annotation,
      status: 201,
      example: { body: { rating: false, comment: "Too short" } }
    }),
    readForScoring: operation({
      method: "POST",
      path: "/internal/records-for-scoring",
      summary: "Records with the metric versions that the service still has to score, as many as fit in one reply; for the scoring service",
      access: "service",
      body: z9.object({ runId: z9.string(), recordIds: z9.array(z9.string()).max(1e3) }),
      reply: z9.object({
        records: z9.array(z9.object({ id: id(), ...payloads2, pending: z9.array(z9.string()) })),
        /** Records that did not fit: to be asked for again. */
        remaining: z9.array(z9.string())
      }),
      status: 200
    }),
    acceptJudgements: operation({
      method: "POST",
      path: "/internal/judgements",
      summary: "Scores and failures, all or none; those that are no longer awaited are passed over; for the scoring service",
      access: "service",
      body: z9.object({ runId: z9.string(), judgements: z9.array(judgement).max(5e3) }),
      bodyBytesMax: 16 * 1024 * 1024,
      reply: z9.object({ accepted: count() }),
      status: 200
    })
  },
  questions: {
    forgetProject: question({
      summary: "A project was deleted: what is in it must be gone before the answer",
      payload: z9.object({ projectId: z9.string() }),
      reply: z9.object({})
    })
  }
});

// shared/contracts/scoring.ts
import { z as z10 } from "zod";
var scoring = service({
  name: "scoring",
  summary: "Makes the scores of metrics that the service evaluates",
  jobs: {
    scoreRecords: job({
      summary: "Score what is still pending of these records of one run",
      payload: z10.object({ runId: z10.string(), recordIds: z10.array(z10.string()).min(1).max(500) }),
      attempts: 6,
      finishMs: 6e4
    })
  }
});

// shared/contracts/sessions.ts
import { z as z11 } from "zod";
var sha256 = z11.string().regex(/^[0-9a-f]{64}$/, "must be 64 lowercase hexadecimal digits");
var metadata = payload("The client's own notes about the file.");
var sizeBytesMax = 5 * 1024 * 1024 * 1024;
var exampleHash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
var sessionId = text(256, 1);
var attachment = z11.object({
  id: id(),
  sessionId,
  filePath: text(1024, 1),
  filename: text(512, 1).nullable(),
  contentType: text(256, 1).nullable(),
  sizeBytes: z11.int().min(0).nullable(),
  sha256: sha256.nullable(),
  status: z11.enum(["pending", "uploaded"]),
  uploadedAt: timestamp().nullable(),
  metadata: metadata.nullable()
}).meta({
  id: "Attachment",
  description: "A file of a session.",
  examples: [
    {
      id: exampleIds.attachment,
      sessionId: "session-1",
      filePath: "logs/answer.txt",
      filename: "answer.txt",
      contentType: "text/plain",
      sizeBytes: 4,
      sha256: exampleHash,
      status: "uploaded",
      uploadedAt: exampleInstant,
      metadata: null
    }
  ]
});
var declaration = z11.object({
  sessionId,
  filePath: text(1024, 1),
  sha256,
  sizeBytes: z11.int().min(0).max(sizeBytesMax),
  contentType: text(256, 1),
  filename: text(512, 1).optional(),
  metadata: metadata.optional()
});
var sessions = service({
  name: "sessions",
  summary: "Files that belong to a session",
  operations: {
    declareAttachment: operation({
      method: "POST",
      path: "/attachments",
      summary: "Declare a file: the first of three steps. Gives a signed URL for the second",
      body: declaration,
      reply: z11.object({
        id: id(),
        alreadyExists: z11.boolean(),
        uploadUrl: z11.string().nullable(),
        uploadMethod: z11.literal("PUT").nullable(),
        expiresAt: timestamp().nullable()
      }),
      status: 201,
      example: {
        body: { sessionId: "session-1", filePath: "logs/answer.txt", sha256: exampleHash, sizeBytes: 4, contentType: "text/plain" }
      }
    }),
    uploadAttachment: operation({
      method: "PUT",
      path: "/attachments/:attachmentId/content",
      summary: "Upload the bytes to the signed URL: the second step. Needs no bearer",
      access: "signature",
      query: z11.object({ upload: z11.string().max(256), expires: z11.string().max(32), signature: z11.string().max(128) }),
      streams: ["*"],
      bodyBytesMax: sizeBytesMax,
      reply: success,
      status: 200,
      failures: ["FORBIDDEN", "CONFLICT"]
    }),
    commitAttachment: operation({
      method: "POST",
      path: "/attachments/:attachmentId/commit",
      summary: "Commit what was uploaded: the third step. Checks size and SHA-256",
      reply: attachment,
      status: 200,
      failures: ["CONFLICT"]
    }),
    getAttachment: operation({
      method: "GET",
      path: "/attachments/:attachmentId",
      summary: "Get an attachment with a short-lived download URL",
      reply: attachment.extend({ downloadUrl: z11.string().nullable(), downloadExpiresAt: timestamp().nullable() }),
      status: 200
    }),
    downloadAttachment: operation({
      method: "GET",
      path: "/attachments/:attachmentId/content",
      summary: "Download the bytes from the signed URL. Needs no bearer",
      access: "signature",
      query: z11.object({ download: z11.string().max(256), expires: z11.string().max(32), signature: z11.string().max(128) }),
      replyStreams: ["application/octet-stream"],
      status: 200,
      failures: ["FORBIDDEN"]
    }),
    deleteAttachment: operation({
      method: "DELETE",
      path: "/attachments/:attachmentId",
      summary: "Delete an attachment",
      reply: success,
      status: 200
    }),
    listSessionAttachments: list({
      path: "/sessions/:sessionId/attachments",
      summary: "List the committed attachments of a session, oldest first",
      params: { sessionId },
      item: attachment
    })
  }
});

// shared/contracts/systems.ts
import { z as z12 } from "zod";
var config = payload("Whatever makes this version what it is: model, prompt, parameters.");
var exampleConfig = { model: "small-1", temperature: 0.2, prompt: "Answer in one sentence." };
var exampleVersion = { id: exampleIds.systemVersion, systemId: exampleIds.system, name: "Version 1", config: exampleConfig };
var systemVersion = z12.object({ id: id(), systemId: id(), name: name(), config }).meta({ id: "SystemVersion", description: "One configuration of a system, immutable but for its name.", examples: [exampleVersion] });
var system = z12.object({
  id: id(),
  name: name(),
  description: description(),
  productionVersion: systemVersion,
  versions: z12.array(z12.object({ id: id(), name: name() }))
}).meta({
  id: "System",
  description: "A system under test.",
  examples: [
    {
      id: exampleIds.system,
      name: "Support bot",
      description: "Answers customers",
      productionVersion: exampleVersion,
      versions: [{ id: exampleIds.systemVersion, name: "Version 1" }]
    }
  ]
});
var configBytesMax = 1024 * 1024;
var systems = service({
  name: "systems",
  summary: "Systems under test and their immutable versions",
  operations: {
    upsertSystem: operation({
      method: "POST",
      path: "/projects/:projectId/systems",
      summary: "Create a system, or update the project's system of that name",
      body: z12.object({ config, name: name().default("Default system"), description: description().optional() }),
      bodyBytesMax: configBytesMax,
      reply: system,
      status: 201,
      statusWhenThere: 200,
      example: { body: { name: "Support bot", config: exampleConfig } }
    }),
    listSystems: list({ path: "/projects/:projectId/systems", summary: "List the systems of a project, oldest first", item: system }),
    getSystem: operation({ method: "GET", path: "/systems/:systemId", summary: "Get a system", reply: system, status: 200 }),
    updateSystem: operation({
      method: "PATCH",
      path: "/systems/:systemId",
      summary: "Change name, description or production version",
      body: z12.object({ name: name(), description: description(), productionVersionId: z12.string().max(256) }).partial(),
      reply: system,
      status: 200,
      failures: ["CONFLICT"],
      example: { body: { productionVersionId: exampleIds.systemVersion } }
    }),
    deleteSystem: operation({
      method: "DELETE",
      path: "/systems/:systemId",
      summary: "Delete a system; its versions can still be read",
      reply: success,
      status: 200
    }),
    upsertSystemVersion: operation({
      method: "POST",
      path: "/systems/:systemId/versions",
      summary: "The version with this config: made when there is none, named when a name is given",
      body: z12.object({ config, name: name().optional() }),
      bodyBytesMax: configBytesMax,
      reply: systemVersion,
      status: 200,
      failures: ["CONFLICT"],
      example: { body: { config: exampleConfig } }
    }),
    getSystemVersion: operation({
      method: "GET",
      path: "/systems/versions/:systemVersionId",
      summary: "Get a version of a system",
      reply: systemVersion,
      status: 200
    }),
    simulateAgent: operation({
      method: "POST",
      path: "/agents/:systemVersionId/simulate",
      summary: "Removed: answers 410",
      params: { systemVersionId: z12.string() },
      status: 200,
      failures: ["GONE"]
    })
  },
  questions: {
    systemVersion: question({
      summary: "A system version with its project",
      payload: z12.object({ systemVersionId: z12.string() }),
      reply: z12.discriminatedUnion("outcome", [
        z12.object({ outcome: z12.literal("missing") }),
        z12.object({ outcome: z12.literal("found"), systemId: z12.string(), projectId: z12.string(), name: z12.string() })
      ])
    }),
    forgetProject: question({
      summary: "A project was deleted: what is in it must be gone before the answer",
      payload: z12.object({ projectId: z12.string() }),
      reply: z12.object({})
    })
  }
});

// shared/contracts/all.ts
var contracts = [identity, catalog, testcases, systems, metrics, runRecords, scoring, sessions];

// shared/runtime/config.ts
import { z as z13 } from "zod";
var url = (protocols) => z13.string().refine((value) => protocols.some((protocol) => value.startsWith(`${protocol}://`)), `must start with ${protocols.join(":// or ")}://`);
var processConfig = {
  HOST: z13.string().default("127.0.0.1"),
  PORT: z13.coerce.number().int().min(0).max(65535).default(0),
  NATS_URL: url(["nats", "tls"]).transform((value) => value.split(",")),
  /** Shared by the gateway and the services, by nobody else: signs identities and cursors. */
  ASSAY_SECRET: z13.string().min(32, "must have at least 32 characters"),
  LOG_LEVEL: z13.enum(["trace", "debug", "info", "warn", "error", "silent"]).default("info"),
  /** Sets one installation apart from others on the same NATS server. */
  SUBJECT_PREFIX: z13.string().regex(/^[a-z0-9-]{1,32}$/).default("assay")
};
var serviceConfig = {
  ...processConfig,
  MONGODB_URI: url(["mongodb", "mongodb+srv"]),
  /** A service's database is `<prefix>_<service>`. */
  DATABASE_PREFIX: z13.string().regex(/^[A-Za-z0-9-]{1,32}$/).default("assay")
};

// shared/runtime/metrics.ts
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
function createMetrics(service2) {
  const registry = new Registry();
  registry.setDefaultLabels({ service: service2 });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 50 });
  const durations = new Histogram({
    name: "assay_operation_seconds",
    help: "How long operations took, by name and status.",
    labelNames: ["operation", "status"],
    buckets: [1e-3, 25e-4, 5e-3, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry]
  });
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    operation: (operation2) => () => {
      const startedAt = performance.now();
      return (status) => durations.observe({ operation: operation2, status }, (performance.now() - startedAt) / 1e3);
    },
    counter: (name2, help, labelNames = []) => new Counter({ name: name2, help, labelNames, registers: [registry] }),
    gauge: (name2, help, read) => {
      new Gauge({
        name: name2,
        help,
        registers: [registry],
        collect() {
          this.set(read());
        }
      });
    }
  };
}

// gateway/src/gateway.ts
import { z as z17 } from "zod";

// gateway/src/body.ts
import { createGunzip } from "node:zlib";
var heldBytesMax = 256 * 1024;
var none = { kind: "none" };
var hasBody = ({ headers }) => headers["transfer-encoding"] !== void 0 || headers["content-length"] !== void 0 && headers["content-length"] !== "0";
function takeBody(request, response, operation2) {
  if (!hasBody(request) || request.method === "GET") return none;
  const isGzip = isGzipped(request);
  const length = request.headers["content-length"];
  const lengthBytes = isGzip || length === void 0 ? void 0 : Number(length);
  if (lengthBytes !== void 0 && lengthBytes > operation2.bodyBytesMax) throw tooLarge(operation2.bodyBytesMax);
  if (lengthBytes !== void 0 && lengthBytes <= heldBytesMax && !operation2.isStreamed) return hold(request, response, lengthBytes);
  const open = () => countedBytes(isGzip ? gunzipped(request) : bytesOf(request), operation2.bodyBytesMax, () => goOn(request, response));
  return { kind: "streamed", lengthBytes, open };
}
function isGzipped({ headers }) {
  const coding = (headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (coding === "gzip" || coding === "x-gzip") return true;
  if (coding === "identity" || coding === "") return false;
  throw new Failure("UNSUPPORTED_MEDIA_TYPE", 'A body is taken as it is or with "Content-Encoding: gzip".');
}
function goOn(request, response) {
  if (request.headers.expect !== void 0) response.writeContinue();
}
var ClientGone = class extends Error {
  name = "ClientGone";
};
function hold(request, response, lengthBytes) {
  goOn(request, response);
  return new Promise((resolve, reject) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.once("end", () => resolve({ kind: "held", bytes: chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, lengthBytes) }));
    request.once("error", () => reject(new ClientGone("the client went away while sending its body")));
  });
}
async function* bytesOf(request) {
  try {
    yield* request.iterator({ destroyOnReturn: false });
  } catch (cause) {
    throw new ClientGone("the client went away while sending its body", { cause });
  }
}
async function* countedBytes(source, limitBytes, started) {
  started();
  let counted = 0;
  for await (const chunk of source) {
    counted += chunk.length;
    if (counted > limitBytes) throw tooLarge(limitBytes);
    yield chunk;
  }
}
async function* gunzipped(request) {
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
  const cut = () => gunzip.destroy(new ClientGone("the client went away while sending its body"));
  request.once("error", cut);
  request.pipe(gunzip);
  try {
    yield* gunzip;
  } catch (error) {
    throw isZlibError(error) ? new Failure("MALFORMED_JSON", "The body is not valid gzip.", { cause: error }) : error;
  } finally {
    request.off("error", cut);
    request.unpipe(gunzip);
    gunzip.destroy();
  }
}
var isZlibError = (error) => String(error.code ?? "").startsWith("Z_");

// gateway/src/upstreams.ts
import { Pool } from "undici";
var connectTimeoutMs = 2e3;
var avoidedMs = 1e3;
function createUpstream({ service: service2, urls, timeoutMs }) {
  const replicas2 = urls.split(",").map((url2) => ({
    pool: new Pool(new URL(url2.trim()).origin, {
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connect: { timeout: connectTimeoutMs }
    }),
    avoidedUntilMs: 0
  }));
  let turn = 0;
  return {
    service: service2,
    replicas: replicas2,
    inTurn: () => {
      if (replicas2.length === 1) return replicas2;
      turn = (turn + 1) % replicas2.length;
      const rotated = [...replicas2.slice(turn), ...replicas2.slice(0, turn)];
      const now = Date.now();
      return [...rotated.filter((replica) => replica.avoidedUntilMs <= now), ...rotated.filter((replica) => replica.avoidedUntilMs > now)];
    }
  };
}
function avoid(replica) {
  replica.avoidedUntilMs = Date.now() + avoidedMs;
}

// gateway/src/forward.ts
async function forward(upstream2, outgoing, incoming) {
  const replicas2 = upstream2.inTurn();
  let isRepeatable = outgoing.method === "GET";
  for (let index = 0; ; ) {
    const replica = replicas2[index % replicas2.length];
    const outcome = await attempt(replica, outgoing, incoming);
    if (typeof outcome === "number") return outcome;
    const { error, wasSent } = outcome;
    if (error instanceof Failure || error instanceof ClientGone) throw error;
    if (!wasSent) avoid(replica);
    const goesOn = wasSent ? isRepeatable && isBroken(error) : index + 1 < replicas2.length;
    if (!goesOn) throw unavailable("A part of the service does not answer at the moment.", error);
    if (wasSent) isRepeatable = false;
    index += 1;
  }
}
var brokenCodes = /* @__PURE__ */ new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);
var isBroken = (error) => brokenCodes.has(error.code ?? "");
function attempt(replica, outgoing, incoming) {
  return new Promise((resolve) => {
    const options = { method: outgoing.method, path: outgoing.path, headers: outgoing.headers };
    replica.pool.dispatch({ ...options, body: bodyOf(outgoing.body) }, relay(incoming, resolve));
  });
}
var bodyOf = (body) => {
  if (body.kind === "none") return null;
  return body.kind === "held" ? body.bytes : body.open();
};
function relay(incoming, settle) {
  const { response } = incoming;
  let wasSent = false;
  let status = 0;
  return {
    onRequestStart: (controller) => {
      wasSent = true;
      incoming.abort = () => controller.abort(new ClientGone("the client went away"));
      if (response.destroyed) incoming.abort();
    },
    onResponseStart: (_controller, statusCode, headers) => {
      if (statusCode < 200) return;
      if (statusCode === 401) throw new Error("the service did not take the signature of the gateway");
      status = statusCode;
      response.writeHead(status, passedHeaders(headers, incoming.headers));
    },
    onResponseData: (controller, chunk) => {
      if (response.write(chunk)) return;
      controller.pause();
      response.once("drain", () => controller.resume());
    },
    onResponseEnd: () => {
      response.end();
      incoming.abort = void 0;
      settle(status);
    },
    onResponseError: (_controller, error) => {
      incoming.abort = void 0;
      if (!response.headersSent) return settle({ error, wasSent });
      response.destroy();
      settle(status);
    }
  };
}
var ownHeaders = /* @__PURE__ */ new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "date",
  "server",
  "x-powered-by",
  "x-request-id"
]);
function passedHeaders(headers, own) {
  const passed = own.slice();
  for (const name2 in headers) {
    if (ownHeaders.has(name2)) continue;
    const value = headers[name2];
    if (typeof value === "string") passed.push(name2, value);
    else for (const one of value) passed.push(name2, one);
  }
  return passed;
}

// gateway/src/keys.ts
import { createHash } from "node:crypto";
var knownMs = 3e4;
var unknownMs = 1e3;
var keysMax = 1e4;
var keyCharactersMax = 512;
var hashKey = (key) => createHash("sha256").update(key).digest("base64url");
function createKeys(bus, now = Date.now) {
  const ask2 = bus.asks(identity).identity;
  const known = /* @__PURE__ */ new Map();
  const unknown = /* @__PURE__ */ new Map();
  const asking = /* @__PURE__ */ new Map();
  let forgotten = 0;
  function forget(isMeant) {
    forgotten += 1;
    asking.clear();
    for (const [keyHash, { caller }] of known) if (isMeant(keyHash, caller)) known.delete(keyHash);
  }
  const { prefix } = bus.options;
  bus.hear(subjectOf(prefix, "event", "identity", "keyRevoked"), (payload2) => {
    const revoked = payload2.keyHash;
    forget((keyHash) => keyHash === revoked);
  });
  bus.hear(subjectOf(prefix, "event", "identity", "memberChanged"), (payload2) => {
    const changed = payload2.userId;
    forget((_keyHash, { userId }) => userId === changed);
  });
  bus.onDisconnect(() => forget(() => true));
  function recall(keyHash) {
    const remembered = known.get(keyHash) ?? unknown.get(keyHash);
    return remembered && remembered.untilMs > now() ? remembered : void 0;
  }
  function askOnce(keyHash) {
    const underWay = asking.get(keyHash);
    if (underWay) return underWay;
    const answer = askIdentity(keyHash).finally(() => {
      if (asking.get(keyHash) === answer) asking.delete(keyHash);
    });
    asking.set(keyHash, answer);
    return answer;
  }
  async function askIdentity(keyHash) {
    const before = forgotten;
    const verified = await ask2.verifyKey(serviceIdentity(""), { keyHash }).catch((error) => {
      throw unavailable("API keys cannot be checked at the moment.", error);
    });
    const remembered = toRemembered(verified, now());
    if (forgotten === before) keep(remembered.caller ? known : unknown, keyHash, remembered);
    return remembered;
  }
  function open({ caller, expiresAtMs }) {
    if (!caller || expiresAtMs <= now()) throw invalidKey();
    return caller;
  }
  return {
    callerOf: (authorization) => {
      const keyHash = hashKey(bearerOf(authorization));
      const remembered = recall(keyHash);
      return remembered ? open(remembered) : askOnce(keyHash).then(open);
    }
  };
}
function toRemembered(verified, now) {
  if (verified.outcome === "unknown") return { caller: void 0, expiresAtMs: now, untilMs: now + unknownMs };
  const { organizationId, userId, role: role2, apiKeyId, expiresAtMs } = verified;
  return {
    caller: { organizationId, userId, role: role2, apiKeyId },
    expiresAtMs: expiresAtMs ?? Number.POSITIVE_INFINITY,
    untilMs: now + knownMs
  };
}
function keep(map, keyHash, remembered) {
  map.delete(keyHash);
  if (map.size >= keysMax) map.delete(map.keys().next().value);
  map.set(keyHash, remembered);
}
function bearerOf(authorization) {
  if (authorization === void 0 || authorization === "")
    throw unauthorized('The API key is missing: send "Authorization: Bearer <key>".');
  const key = /^bearer +([^ ]+)$/i.exec(authorization)?.[1];
  if (key !== void 0 && isJwt(key))
    throw unauthorized('The API key is invalid: token-shaped (JWT) keys ended on 20 July 2025. Create a new key, which starts with "ak_".');
  if (key === void 0 || !key.startsWith("ak_") || key.length > keyCharactersMax) throw invalidKey();
  return key;
}
var isJwt = (key) => key.startsWith("eyJ") && /^[\w-]+\.[\w-]+\.[\w-]*$/.test(key);
var invalidKey = () => unauthorized("The API key is invalid.");
var unauthorized = (message) => new Failure("UNAUTHORIZED", message);

// gateway/src/limits.ts
var windowMs = 6e4;
function createLimits({ perMinute, now = Date.now }) {
  const counts = /* @__PURE__ */ new Map();
  const limit = String(perMinute);
  let windowEndsMs = 0;
  return {
    count: (organizationId, headers) => {
      const at = now();
      if (at >= windowEndsMs) {
        counts.clear();
        windowEndsMs = at + windowMs;
      }
      const used = (counts.get(organizationId) ?? 0) + 1;
      counts.set(organizationId, used);
      const resetSeconds = Math.ceil((windowEndsMs - at) / 1e3);
      headers.push("ratelimit-limit", limit, "ratelimit-remaining", String(Math.max(0, perMinute - used)));
      headers.push("ratelimit-reset", String(resetSeconds));
      if (used > perMinute)
        throw new Failure("RATE_LIMITED", `The organization sent more than ${limit} requests in a minute.`, {
          retryAfterSeconds: resetSeconds
        });
    }
  };
}

// gateway/src/pages.ts
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

// gateway/src/docs-page.ts
var indexHtml = (up) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Assay API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${up}docs/viewer.css">
<link rel="stylesheet" href="${up}docs/page.css">
</head>
<body>
<header class="bar"><strong>Assay</strong><span>API reference</span><a href="${up}v2/openapi.json">openapi.json</a></header>
<main id="viewer" data-document="${up}v2/openapi.json"></main>
<noscript>This page needs JavaScript. The document itself is at <a href="${up}v2/openapi.json">openapi.json</a>.</noscript>
<script src="${up}docs/viewer.js"></script>
<script src="${up}docs/page.js"></script>
</body>
</html>
`;
var pageScript = `window.SwaggerUIBundle({
  url: document.getElementById('viewer').dataset.document,
  dom_id: '#viewer',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  tryItOutEnabled: false,
  persistAuthorization: false,
  validatorUrl: null,
});
`;
var pageCss = `:root { color-scheme: light; --ink: #16202c; --line: #dde3ea; --accent: #0b6e6e; }
body { margin: 0; background: #fff; color: var(--ink); font-family: system-ui, sans-serif; }
.bar { position: sticky; top: 0; z-index: 2; display: flex; align-items: baseline; gap: 0.75rem; padding: 0.75rem 1.5rem;
  background: var(--ink); color: #fff; }
.bar strong { font-size: 1.1rem; letter-spacing: 0.02em; }
.bar span { color: #b9c6d3; }
.bar a { margin-left: auto; color: #8fd6d0; text-decoration: none; font-size: 0.9rem; }
.bar a:hover, .bar a:focus-visible { text-decoration: underline; }
.swagger-ui, .swagger-ui .info .title, .swagger-ui .opblock-tag, .swagger-ui .opblock .opblock-summary-description { font-family: inherit; }
.swagger-ui .wrapper { max-width: 1180px; }
.swagger-ui .info { margin: 1.75rem 0 1rem; }
.swagger-ui .info .title { color: var(--ink); font-size: 1.9rem; }
.swagger-ui .scheme-container { box-shadow: none; border-bottom: 1px solid var(--line); padding: 0.75rem 0; }
.swagger-ui .opblock-tag { border-bottom-color: var(--line); }
.swagger-ui .opblock { box-shadow: none; border-radius: 6px; }
.swagger-ui .opblock .opblock-summary-method { border-radius: 4px; min-width: 76px; text-shadow: none; }
.swagger-ui .btn.authorize { border-color: var(--accent); color: var(--accent); }
.swagger-ui .btn.authorize svg { fill: var(--accent); }
`;

// gateway/src/openapi.ts
import { z as z16 } from "zod";
import {
  createDocument
} from "zod-openapi";

// gateway/src/openapi/examples.ts
import { z as z14 } from "zod";
function createExamples(contracts2) {
  const given = /* @__PURE__ */ new Map();
  for (const { operations } of contracts2)
    for (const { reply, example } of Object.values(operations)) if (reply && example?.reply !== void 0) given.set(reply, example.reply);
  const make = (schema) => exampleOf(schema, given);
  return {
    body: ({ body, example }) => example?.body ?? make(body),
    reply: ({ reply, example }) => example?.reply ?? make(reply),
    streamedBody: ({ example }) => (type) => asStream(type, example?.body),
    streamedReply: ({ example, path }) => (type) => asStream(type, example?.reply ?? replyLines(path))
  };
}
var replyLines = (path) => path.endsWith("/export") ? { id: exampleIds.testcase } : { index: 0, status: 201, id: exampleIds.testcase };
function asStream(type, value) {
  if (value === void 0 || type === "*" || type === "application/octet-stream") return "bytes";
  if (type === "text/csv") return csvOf(value);
  return type === "application/json" ? JSON.stringify([value]) : `${JSON.stringify(value)}
`;
}
var csvOf = (row) => `${Object.keys(row).join(",")}
${Object.values(row).join(",")}
`;
function exampleOf(schema, given) {
  const known = given.get(schema) ?? schema.meta()?.examples;
  if (known !== void 0) return Array.isArray(known) ? known[0] : known;
  const inner = (of) => exampleOf(of, given);
  if (isPayload(schema)) return { question: "Where is my parcel?" };
  if (schema instanceof z14.ZodObject)
    return Object.fromEntries(
      Object.entries(schema.shape).map(([key, member2]) => [key, inner(member2)]).filter(isPresent)
    );
  if (schema instanceof z14.ZodArray) return [inner(schema.element)].filter((element) => element !== void 0);
  if (schema instanceof z14.ZodOptional) return void 0;
  if (schema instanceof z14.ZodNullable) return null;
  if (schema instanceof z14.ZodDefault) return schema.def.defaultValue;
  if (schema instanceof z14.ZodUnion) return inner(schema.options[0]);
  if (schema instanceof z14.ZodLiteral) return schema.value;
  if (schema instanceof z14.ZodEnum) return schema.options[0];
  if (schema instanceof z14.ZodBoolean) return false;
  if (schema instanceof z14.ZodNumber) return 1;
  return exampleText(schema);
}
var isPresent = ([, value]) => value !== void 0;
function exampleText(schema) {
  if (schema instanceof z14.ZodUUID) return exampleIds.project;
  if (schema instanceof z14.ZodISODateTime) return exampleInstant;
  if (schema instanceof z14.ZodEmail) return "ada@example.com";
  return "text";
}

// gateway/src/openapi/failures.ts
import { z as z15 } from "zod";
var failure = z15.object({
  code: z15.enum(Object.keys(statusOfFailure)),
  message: z15.string().meta({ description: "A sentence for a person." }),
  details: z15.record(z15.string(), z15.unknown()).meta({ description: "`{}` when there is nothing to add." })
}).meta({ id: "Failure", description: "What every failure looks like." });
var exampleOf2 = {
  VALIDATION_ERROR: { message: "/name is required.", details: { issues: [{ path: "/name", message: "is required" }] } },
  MALFORMED_JSON: { message: "The body is not valid JSON." },
  UNAUTHORIZED: { message: "The API key is invalid." },
  FORBIDDEN: { message: "This operation needs an admin's API key." },
  NOT_FOUND: { message: "There is no project with this id.", details: { resource: "project", id: exampleIds.project } },
  METHOD_NOT_ALLOWED: { message: "This path answers GET, POST." },
  CONFLICT: { message: "This Idempotency-Key was used with another body." },
  GONE: { message: "This operation was removed." },
  PAYLOAD_TOO_LARGE: { message: "The body is larger than 1048576 bytes.", details: { limitBytes: 1048576 } },
  UNSUPPORTED_MEDIA_TYPE: { message: 'A body of type "text/plain" is not taken here.' },
  RATE_LIMITED: { message: "The organization sent more than 1200000 requests in a minute." },
  INTERNAL_ERROR: { message: "Something went wrong on our side.", details: { requestId: exampleIds.run } },
  SERVICE_UNAVAILABLE: { message: "A part of the service does not answer at the moment." }
};
var retryCodes = /* @__PURE__ */ new Set(["RATE_LIMITED", "SERVICE_UNAVAILABLE"]);
var retryAfter = { "Retry-After": { schema: { type: "integer" }, description: "Seconds after which a repeat may succeed." } };
var failureComponents = { schemas: { Failure: failure } };
function failureReplies(codes) {
  const statuses = [...new Set(codes.map((code) => statusOfFailure[code]))].sort();
  return Object.fromEntries(
    statuses.map((status) => {
      const own = codes.filter((code) => statusOfFailure[code] === status);
      const examples = Object.fromEntries(own.map((code) => [code, { value: { code, details: {}, ...exampleOf2[code] } }]));
      return [
        String(status),
        {
          description: own.map((code) => `\`${code}\``).join(" or "),
          ...own.some((code) => retryCodes.has(code)) ? { headers: retryAfter } : {},
          content: { "application/json": { schema: failure, examples } }
        }
      ];
    })
  );
}

// gateway/src/openapi.ts
function createOpenApi(contracts2) {
  const examples = createExamples(contracts2);
  const services = contracts2.filter(({ operations }) => Object.values(operations).some(isPublic));
  const document = {
    openapi: "3.1.0",
    info: {
      title: "Assay",
      version: "2.0.0",
      description: "Evaluates AI systems: projects, testsets, versioned systems, runs with their records, metrics and scores. Every failure is `{ code, message, details }`. Every reply carries `x-request-id`. The same operations answer under `/api/v2`."
    },
    servers: [{ url: "/v2" }],
    security: [{ apiKey: [] }],
    tags: services.map(({ summary, name: name2 }) => ({ name: summary, "x-service": name2 })),
    paths: pathsOf(services, examples),
    components: {
      securitySchemes: { apiKey: { type: "http", scheme: "bearer", description: "An API key: it starts with `ak_`." } },
      ...failureComponents
    }
  };
  return createDocument(document, { override: refine });
}
function refine({ jsonSchema, zodSchema }) {
  const own = z16.globalRegistry.get(zodSchema)?.override;
  if (own) {
    for (const key of Object.keys(jsonSchema)) if (!keptKeys.has(key)) delete jsonSchema[key];
    Object.assign(jsonSchema, own);
  }
  if (!own && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.format !== void 0) delete jsonSchema.pattern;
}
var keptKeys = /* @__PURE__ */ new Set(["description", "examples", "default"]);
var isPublic = ({ access }) => access !== "service";
function pathsOf(services, examples) {
  const paths = {};
  for (const service2 of services) {
    for (const [name2, definition] of Object.entries(service2.operations)) {
      if (!isPublic(definition)) continue;
      const path = definition.path.replaceAll(/:(\w+)/g, "{$1}");
      paths[path] = { ...paths[path], [definition.method.toLowerCase()]: describe2(service2, name2, definition, examples) };
    }
  }
  return paths;
}
function describe2(service2, name2, definition, examples) {
  const body = requestBody(definition, examples);
  return {
    operationId: name2,
    summary: definition.summary,
    ...definition.access === "admin" ? { description: "Needs an admin's key." } : {},
    tags: [service2.summary],
    ...definition.access === "signature" ? { security: [] } : {},
    requestParams: parametersOf(definition),
    ...body ? { requestBody: body } : {},
    responses: { ...replies(definition, examples), ...failureReplies(failureCodes(definition)) }
  };
}
var idempotencyKey = z16.string().min(1).max(255).optional().meta({ description: "A repeat within 24 hours with the same body gives the first answer again; with another body 409." });
function parametersOf(definition) {
  const query = queryOf(definition);
  const path = pathParameters(definition);
  return {
    ...path ? { path } : {},
    ...query ? { query } : {},
    ...definition.method === "POST" ? { header: z16.object({ "Idempotency-Key": idempotencyKey }) } : {}
  };
}
function pathParameters({ path, params }) {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name2]) => name2);
  if (names.length === 0) return void 0;
  return z16.object(Object.fromEntries(names.map((name2) => [name2, params?.[name2] ?? z16.uuid()])));
}
function requestBody(definition, examples) {
  const { body, streams, bodyBytesMax } = definition;
  const limitBytes = bodyBytesMax ?? (streams ? void 0 : bodyBytesDefault);
  const limit = {
    description: limitBytes === void 0 ? "Streamed, of any length." : `At most ${limitBytes.toLocaleString("en")} bytes, decoded.`,
    ...limitBytes === void 0 ? {} : { "x-body-bytes-max": limitBytes }
  };
  if (streams) return { required: true, ...limit, content: streamed(streams, examples.streamedBody(definition)) };
  if (!body) return void 0;
  const content = { "application/json": { schema: body, example: examples.body(definition) } };
  return { required: !body.safeParse(void 0).success, ...limit, content };
}
var streamed = (types, example) => Object.fromEntries(types.map((type) => [type === "*" ? "*/*" : type, { schema: { type: "string" }, example: example(type) }]));
var requestIdHeader = { "x-request-id": { schema: { type: "string" }, description: "The request's id." } };
function replies(definition, examples) {
  const { status, statusWhenThere, replyStreams, reply } = definition;
  if (!reply && !replyStreams) return {};
  const content = replyStreams ? streamed(replyStreams, examples.streamedReply(definition)) : { "application/json": { schema: reply, example: examples.reply(definition) } };
  const answer = (description2) => ({ description: description2, headers: requestIdHeader, content });
  return {
    [String(status)]: answer(status === 201 ? "Created." : status === 202 ? "Accepted." : "Done."),
    ...statusWhenThere ? { [String(statusWhenThere)]: answer("It was there already.") } : {}
  };
}
function failureCodes(definition) {
  const { access, path, method, body, streams, failures = [] } = definition;
  const codes = ["RATE_LIMITED", "INTERNAL_ERROR", "SERVICE_UNAVAILABLE", ...failures];
  if (access !== "signature") codes.push("UNAUTHORIZED");
  if (access === "admin") codes.push("FORBIDDEN");
  if (path.includes(":")) codes.push("NOT_FOUND");
  if (queryOf(definition) || body || method === "POST") codes.push("VALIDATION_ERROR");
  if (method === "POST") codes.push("CONFLICT");
  if (body) codes.push("MALFORMED_JSON");
  if (body || streams) codes.push("PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE");
  return [...new Set(codes)];
}

// gateway/src/replies.ts
import { randomUUID } from "node:crypto";
var discardMs = 5e3;
var saneRequestId = /^[A-Za-z0-9._-]{1,128}$/;
function requestIdOf({ headers }) {
  const given = headers["x-request-id"];
  return typeof given === "string" && saneRequestId.test(given) ? given : randomUUID();
}
var commonHeaders = (requestId) => [
  "x-request-id",
  requestId,
  "x-content-type-options",
  "nosniff",
  "x-frame-options",
  "DENY",
  "referrer-policy",
  "no-referrer",
  "cross-origin-resource-policy",
  "same-origin"
];
function sendReply(request, response, status, headers, body) {
  if (hasBody(request) && !request.complete) discardBody(request, headers);
  response.writeHead(status, [...headers, "content-length", String(Buffer.byteLength(body))]);
  response.end(body);
}
function sendFailure(request, response, headers, failure2) {
  const own = [...headers, "content-type", "application/json; charset=utf-8"];
  if (failure2.retryAfterSeconds !== void 0) own.push("retry-after", String(failure2.retryAfterSeconds));
  if (failure2.code === "UNAUTHORIZED") own.push("www-authenticate", "Bearer");
  sendReply(request, response, failure2.status, own, failureText(failure2));
}
var failureText = ({ code, message, details }) => JSON.stringify({ code, message, details });
function discardBody(request, headers) {
  if (request.headers.expect !== void 0) headers.push("connection", "close");
  request.on("error", () => void 0);
  request.on("data", () => void 0);
  const patience = setTimeout(() => request.socket.destroy(), discardMs).unref();
  request.once("close", () => clearTimeout(patience));
  request.resume();
}

// gateway/src/pages.ts
var docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ");
var html = "text/html; charset=utf-8";
var css = "text/css; charset=utf-8";
var script = "text/javascript; charset=utf-8";
var json = "application/json; charset=utf-8";
function createPages({ metrics: metrics2, readiness }) {
  const openApi = page(
    json,
    once(() => JSON.stringify(createOpenApi(contracts)))
  );
  const pages = {
    "/livez": page(json, () => JSON.stringify({ status: "alive" })),
    "/readyz": page(json, async () => {
      const missing = await readiness();
      if (missing !== void 0) throw unavailable(missing);
      return JSON.stringify({ status: "ready" });
    }),
    "/metrics": page(metrics2.contentType, metrics2.text),
    "/v2/openapi.json": openApi,
    "/api/v2/openapi.json": openApi,
    "/docs": docs(html, () => indexHtml("")),
    "/docs/": docs(html, () => indexHtml("../")),
    "/docs/page.css": docs(css, () => pageCss),
    "/docs/page.js": docs(script, () => pageScript),
    "/docs/viewer.css": docs(css, viewerFile("swagger-ui.css")),
    "/docs/viewer.js": docs(script, viewerFile("swagger-ui-bundle.js"))
  };
  return { find: (path) => Object.hasOwn(pages, path) ? pages[path] : void 0 };
}
var page = (contentType, content, headers = []) => async ({ request, response, headers: common }) => {
  const body = await content();
  sendReply(request, response, 200, [...common, "content-type", contentType, ...headers], body);
};
var docs = (contentType, content) => page(contentType, content, ["content-security-policy", docsPolicy]);
var viewerFile = (name2) => once(() => readFileSync(join(dirname(createRequire(import.meta.url).resolve("@fastify/swagger-ui/package.json")), "static", name2)));
function once(make) {
  let made;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

// gateway/src/readiness.ts
function createReadiness(bus) {
  const ask2 = bus.asks(identity).identity;
  let underWay;
  const askIdentity = () => ask2.verifyKey(serviceIdentity(""), { keyHash: "" }).then(
    () => void 0,
    () => "API keys cannot be checked at the moment."
  );
  return async () => {
    if (!bus.isConnected()) return "The bus is not connected.";
    underWay ??= askIdentity().finally(() => {
      underWay = void 0;
    });
    return underWay;
  };
}

// gateway/src/routing.ts
import findMyWay from "find-my-way";
var maxParamLength = 8192;
function createRouting(contracts2) {
  const router = findMyWay({ maxParamLength, querystringParser: () => ({}) });
  for (const [path, operations] of operationsByPath(contracts2)) {
    const route = { operations, allow: [...operations.keys()].sort().join(", ") };
    router.on("GET", path, () => void 0, route);
  }
  return {
    find: (target) => {
      const found = router.find("GET", target);
      return found && !hasEmptyParameter(found.params) ? found.store : void 0;
    }
  };
}
function hasEmptyParameter(params) {
  for (const name2 in params) if (params[name2] === "") return true;
  return false;
}
function operationsByPath(contracts2) {
  const byPath = /* @__PURE__ */ new Map();
  for (const { name: service2, operations } of contracts2) {
    for (const [name2, definition] of Object.entries(operations)) {
      if (definition.access === "service") continue;
      const methods = byPath.get(definition.path) ?? /* @__PURE__ */ new Map();
      byPath.set(definition.path, methods.set(definition.method, routed(service2, name2, definition)));
    }
  }
  return byPath;
}
var routed = (service2, name2, definition) => ({
  name: `${service2}.${name2}`,
  service: service2,
  access: definition.access === "admin" || definition.access === "signature" ? definition.access : "member",
  bodyBytesMax: definition.bodyBytesMax ?? (definition.streams ? Number.POSITIVE_INFINITY : bodyBytesDefault),
  isStreamed: definition.streams !== void 0 || definition.replyStreams !== void 0
});
var bases = ["/v2", "/api/v2"];
function belowBase(target) {
  for (const base of bases) if (target.startsWith(base) && target.charCodeAt(base.length) === slash) return target.slice(base.length);
  return void 0;
}
var slash = 47;

// gateway/src/server.ts
import { createServer } from "node:http";
var headerBytesMax = 15 * 1024;
var keepAliveMs = 72e3;
function createHttpEdge({
  answer,
  silenceMs,
  log
}) {
  const server = createServer({ maxHeaderSize: headerBytesMax, keepAliveTimeout: keepAliveMs, requestTimeout: 0 });
  server.timeout = silenceMs;
  let underWay = 0;
  let stopping = false;
  function take(request, response) {
    const requestId = requestIdOf(request);
    const visit = { request, response, requestId, headers: commonHeaders(requestId), abort: void 0 };
    if (stopping) visit.headers.push("connection", "close");
    underWay += 1;
    response.once("close", () => {
      underWay -= 1;
      if (!response.writableFinished) visit.abort?.();
      if (stopping && underWay === 0) server.closeAllConnections();
    });
    answer(visit).catch((error) => fail(visit, error, log));
  }
  server.on("request", take);
  server.on("checkContinue", take);
  server.on("clientError", (_error, socket) => {
    if (socket.writable) socket.end(notHttp);
    else socket.destroy();
  });
  return {
    listen: ({ host, port: port2 }) => listen(server, host, port2),
    close: () => new Promise((resolve) => {
      stopping = true;
      server.close(() => resolve());
      if (underWay === 0) server.closeAllConnections();
    })
  };
}
function fail({ request, response, requestId, headers }, error, log) {
  const failure2 = error instanceof Failure ? error : unexpected(requestId, error);
  if (response.destroyed || response.headersSent) {
    response.destroy();
    return;
  }
  if (failure2.code === "INTERNAL_ERROR") log.error({ err: error, requestId }, "a request failed unexpectedly");
  if (failure2.code === "SERVICE_UNAVAILABLE")
    log.warn({ err: failure2.cause, requestId, url: request.url }, "a part of the service did not answer");
  sendFailure(request, response, headers, failure2);
}
var unexpected = (requestId, cause) => new Failure("INTERNAL_ERROR", "Something went wrong on our side.", { details: { requestId }, cause });
async function listen(server, host, port2) {
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port2, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const { address, family, port: bound2 } = server.address();
  return `http://${family === "IPv6" ? `[${address}]` : address}:${bound2}`;
}
var notHttpText = failureText(new Failure("VALIDATION_ERROR", "The request is not valid HTTP, or its headers are too large."));
var notHttp = [
  "HTTP/1.1 400 Bad Request",
  "content-type: application/json; charset=utf-8",
  `content-length: ${Buffer.byteLength(notHttpText)}`,
  "connection: close",
  "",
  notHttpText
].join("\r\n");

// gateway/src/gateway.ts
var replicas = z17.string().refine((value) => value.split(",").every((url2) => /^https?:\/\/[^/]+\/?$/.test(url2.trim())), {
  message: "must be base URLs (http://host:port), separated by commas"
});
var gatewayConfig = {
  ...processConfig,
  /** The processes of each service that has operations: base URLs, separated by commas. */
  IDENTITY_URL: replicas,
  CATALOG_URL: replicas,
  TESTCASES_URL: replicas,
  SYSTEMS_URL: replicas,
  METRICS_URL: replicas,
  RUN_RECORDS_URL: replicas,
  SESSIONS_URL: replicas,
  /** Requests an organization may send in a minute, to each gateway process. */
  RATE_LIMIT_PER_MINUTE: z17.coerce.number().int().min(1).default(12e5),
  /** How long a service may be silent: longer than its own longest question. */
  UPSTREAM_TIMEOUT_MS: z17.coerce.number().int().min(10).default(13e4)
};
async function start(config2, given) {
  const log = given?.child({ name: "gateway" }) ?? createLog({ name: "gateway", level: config2.LOG_LEVEL });
  const secret = config2.ASSAY_SECRET;
  const bus = await connectBus({ urls: config2.NATS_URL, name: "gateway", prefix: config2.SUBJECT_PREFIX, secret, log });
  const metrics2 = createMetrics("gateway");
  const upstreams = createUpstreams(config2);
  const edge = createHttpEdge({
    answer: createAnswer({
      secret,
      keys: createKeys(bus),
      limits: createLimits({ perMinute: config2.RATE_LIMIT_PER_MINUTE }),
      upstreams,
      metrics: metrics2,
      bus
    }),
    silenceMs: config2.UPSTREAM_TIMEOUT_MS + 1e4,
    log
  });
  const url2 = await edge.listen({ host: config2.HOST, port: config2.PORT });
  log.info({ url: url2 }, "ready");
  return {
    url: url2,
    stop: async () => {
      await edge.close();
      await Promise.all([...upstreams.values()].flatMap((upstream2) => upstream2.replicas.map(({ pool }) => pool.close())));
      await bus.drain();
    }
  };
}
function createUpstreams(config2) {
  const routed2 = contracts.filter(({ operations }) => Object.keys(operations).length > 0);
  return new Map(
    routed2.map(({ name: name2 }) => {
      const urls = config2[`${name2.toUpperCase().replaceAll("-", "_")}_URL`];
      return [name2, createUpstream({ service: name2, urls, timeoutMs: config2.UPSTREAM_TIMEOUT_MS })];
    })
  );
}
var anonymous = { organizationId: "", userId: "", role: "service", apiKeyId: null };
function createAnswer({ secret, keys: keys2, limits, upstreams, metrics: metrics2, bus }) {
  const routing = createRouting(contracts);
  const pages = createPages({ metrics: metrics2, readiness: createReadiness(bus) });
  const timers = /* @__PURE__ */ new Map();
  const faults = metrics2.counter("assay_upstream_faults_total", "Requests that a service did not answer.", ["upstream"]);
  function timerOf({ name: name2 }) {
    const timer = timers.get(name2) ?? metrics2.operation(name2);
    timers.set(name2, timer);
    return timer;
  }
  async function admit({ request, headers }, route) {
    const operation2 = route.operations.get(request.method);
    const caller = operation2?.access === "signature" ? anonymous : await keys2.callerOf(request.headers.authorization);
    if (!operation2) throw methodNotAllowed(route.allow, headers);
    if (operation2.access === "admin" && caller.role !== "admin") throw new Failure("FORBIDDEN", "This operation needs an admin's API key.");
    if (caller !== anonymous) limits.count(caller.organizationId, headers);
    return { operation: operation2, caller };
  }
  async function pass(visit, path, operation2, caller) {
    const { request, response, requestId } = visit;
    const body = await takeBody(request, response, operation2);
    const headers = [identityHeader, sealIdentity(secret, { ...caller, requestId })];
    for (const name2 of passedHeaders2) {
      const value = request.headers[name2];
      if (value !== void 0) headers.push(name2, value);
    }
    if (body.kind === "streamed" && body.lengthBytes !== void 0) headers.push("content-length", String(body.lengthBytes));
    return forward(upstreams.get(operation2.service), { method: request.method, path, headers, body }, visit);
  }
  async function serve(visit, path, route) {
    const { operation: operation2, caller } = await admit(visit, route);
    const done = timerOf(operation2)();
    try {
      done(await pass(visit, path, operation2, caller));
      if (hasBody(visit.request) && !visit.request.complete) discardBody(visit.request, []);
    } catch (error) {
      if (error instanceof ClientGone) return void visit.response.destroy();
      if (error instanceof Failure) done(error.status);
      if (error instanceof Failure && error.code === "SERVICE_UNAVAILABLE") faults.inc({ upstream: operation2.service });
      throw error;
    }
  }
  return async (visit) => {
    const target = visit.request.url;
    const path = belowBase(target);
    const route = path === void 0 ? void 0 : routing.find(path);
    if (route) return serve(visit, path, route);
    const page2 = pages.find(target.split("?", 1)[0]);
    if (!page2) throw new Failure("NOT_FOUND", "There is no such route.");
    if (visit.request.method !== "GET" && visit.request.method !== "HEAD") throw methodNotAllowed("GET, HEAD", visit.headers);
    return page2(visit);
  };
}
var passedHeaders2 = ["content-type", "idempotency-key", "accept", "last-event-id", "range"];
function methodNotAllowed(allow, headers) {
  headers.push("allow", allow);
  return new Failure("METHOD_NOT_ALLOWED", `This path answers ${allow}.`);
}

// gateway/test/setting.ts
import { randomUUID as randomUUID2 } from "node:crypto";

// shared/runtime/ids.ts
import { v7 } from "uuid";

// shared/testing/world.ts
import { MongoClient as MongoClient2 } from "mongodb";
import { inject } from "vitest";

// gateway/test/setting.ts
function answerAsIdentity(bus) {
  const callers = /* @__PURE__ */ new Map();
  const fake = {
    asked: 0,
    before: async () => void 0,
    key: (caller = {}) => {
      const key = `ak_${randomUUID2().replaceAll("-", "")}`;
      const standard = { organizationId: randomUUID2(), userId: randomUUID2(), role: "admin", apiKeyId: randomUUID2(), expiresAtMs: null };
      callers.set(hashKey(key), { outcome: "valid", ...standard, ...caller });
      return key;
    },
    revoke: (key) => callers.delete(hashKey(key))
  };
  const verifyKey = async (_identity, { keyHash }) => {
    fake.asked += 1;
    const answer = callers.get(keyHash) ?? { outcome: "unknown" };
    await fake.before();
    return answer;
  };
  bus.answer({ ...identity, questions: { verifyKey: identity.questions.verifyKey } }, { verifyKey });
  return fake;
}

// gateway/test/tmpbench.ts
var [what, port, nats, upstream] = process.argv.slice(2);
if (what === "fastify") {
  const app = Fastify();
  app.post("/v2/projects", async (r) => r.body);
  await app.listen({ port: Number(port) });
} else if (what === "upstream") {
  createServer2((q, s) => {
    const c = [];
    q.on("data", (d) => c.push(d));
    q.on("end", () => {
      const b = Buffer.concat(c);
      s.writeHead(200, { "content-type": "application/json", "content-length": b.length });
      s.end(b);
    });
  }).listen(Number(port));
} else {
  const secret = "x".repeat(40);
  const bus = await connectBus({ urls: [nats], name: "b", prefix: "bench", secret, log: createLog({ name: "x", level: "silent" }) });
  const id2 = answerAsIdentity(bus);
  const u = `http://127.0.0.1:${upstream}`;
  await start({
    HOST: "127.0.0.1",
    PORT: Number(port),
    NATS_URL: [nats],
    ASSAY_SECRET: secret,
    LOG_LEVEL: "silent",
    SUBJECT_PREFIX: "bench",
    IDENTITY_URL: u,
    CATALOG_URL: u,
    TESTCASES_URL: u,
    SYSTEMS_URL: u,
    METRICS_URL: u,
    RUN_RECORDS_URL: u,
    SESSIONS_URL: u,
    RATE_LIMIT_PER_MINUTE: 1e8,
    UPSTREAM_TIMEOUT_MS: 6e4
  });
  writeFileSync("/tmp/gw/key", id2.key());
}
process.on("SIGTERM", () => process.exit());
console.log("up", what);
