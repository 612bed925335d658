import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type MockProviders,
  say,
  startMockProviders,
} from '../../services/scoring/test/mock-providers.ts';
import { type Installation, startInstallation } from './installation.ts';
import { pythonPackages, run } from './packages.ts';

let assay: Installation;
let judge: MockProviders;
beforeAll(async () => {
  judge = await startMockProviders(({ body }) =>
    say({ reasoning: 'So.', intScore: JSON.stringify(body).includes('Dear') ? 5 : 2 }),
  );
  assay = await startInstallation({ scoring: judge.config() });
});
afterAll(async () => {
  await assay?.stop();
  await judge?.stop();
});

test("the field's published client for Python makes everything of an evaluation, runs a system three times a testcase, and its template's words mean what they mean there", async (context) => {
  const packages = await pythonPackages('scorecard-ai==3.10.0');
  if (!packages) return context.skip('Python or its package registry cannot be reached.');
  const { stdout } = await run('python3', ['-c', program], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PYTHONPATH: packages,
      SCORECARD_API_KEY: assay.key,
      SCORECARD_BASE_URL: `${assay.url}/api/v2`,
    },
  });
  expect(JSON.parse(stdout)).toEqual({
    records: 6,
    scored: 3,
    scores: [2, 2, 2, 5, 5, 5],
    reasoning: 'So.',
    url: expect.stringMatching(/\/projects\/[\w-]+\/runs\/[\w-]+$/),
  });
  const prompt = JSON.stringify(judge.calls[0]!.body);
  expect(prompt).toContain('Is the answer polite?');
  expect(prompt).toContain('To a friend');
});

const program = `
import json, time
from scorecard_ai import Scorecard
from scorecard_ai.lib import run_and_evaluate

client = Scorecard()
project = client.projects.create(name="Letters", description="")
testset = client.testsets.create(
    project_id=project.id, name="Openings", description="",
    json_schema={"type": "object", "properties": {"to": {"type": "string"}, "ideal": {"type": "string"}}},
    field_mapping={"inputs": ["to"], "expected": ["ideal"], "metadata": []},
)
client.testcases.create(testset_id=testset.id, items=[
    {"json_data": {"to": "To a friend", "ideal": "Hi"}},
    {"json_data": {"to": "To an office", "ideal": "Dear Sir or Madam"}},
])
metric = client.metrics.create(
    project_id=project.id, name="Polite", eval_type="ai", output_type="int",
    guidelines="Is the answer polite?",
    prompt_template="{{ gradingInstructionsAndExamples }} {{ allInputs.to }} {{ outputs.text }}",
)
system = client.systems.upsert(project_id=project.id, name="Writer", description="", config={"tone": "kind"})

def write(inputs, version, options):
    assert version.config["tone"] == "kind" and options["otel_link_id"]
    return {"text": "Dear all" if "office" in inputs["to"] else "Yo"}

run = run_and_evaluate(
    client, project_id=project.id, testset_id=testset.id, metric_ids=[metric.id],
    system_version_id=system.production_version.id, system=write, trials=3,
)
while client.runs.get(run["id"]).status != "completed":
    time.sleep(0.1)
records = list(client.records.list(run["id"]))
scores = sorted(record.scores[0].score["value"] for record in records)
print(json.dumps({
    "records": len(records), "scored": sum(score == 5 for score in scores), "scores": scores,
    "reasoning": records[0].scores[0].score["reasoning"], "url": run["url"],
}))
`;
