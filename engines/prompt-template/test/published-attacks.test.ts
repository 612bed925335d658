import { describe, expect, test } from 'vitest';
import { renderTemplate } from '../render.ts';

/** Renders over a record that has nothing of the host's, and gives all that came out. */
function everythingOf(source: string): string {
  const rendering = renderTemplate({
    source,
    values: { inputs: { question: 'q' }, expected: {}, outputs: {}, guidelines: 'g' },
  });
  return rendering.ok ? rendering.text : rendering.message;
}

/**
 * Signs of the host: functions and classes as text, the process, its environment, files, and the
 * number that a shell or Python would give.
 */
const signs =
  /\[object |\[native code|function\s*\(|=>|<class|<function|<module|<bound|process\.|root:|uid=|node:|PATH=|\/bin\/|Symbol\(/;

/**
 * Server-side template injection: PayloadsAllTheThings (Jinja2, Nunjucks, Handlebars, EJS),
 * HackTricks, PortSwigger's Server-Side Template Injection, CVE-2016-10745, CVE-2019-10906,
 * CVE-2024-22195, CVE-2024-56326 and CVE-2025-27516 (format and attr in the sandbox of Jinja2).
 */
describe('a published payload finds nothing of the host', () => {
  test.each([
    // Jinja2: the classes of Python.
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ ''.__class__.__mro__[2].__subclasses__()[40]('/etc/passwd').read() }}",
    '{{ [].__class__.__base__.__subclasses__() }}',
    "{{ ().__class__.__bases__[0].__subclasses__()[59].__init__.__globals__['sys'].modules['os'].popen('id').read() }}",
    "{{ ''['__class__']['__mro__'] }}",
    "{{ ''['\\x5f\\x5fclass\\x5f\\x5f'] }}",
    "{{ ''|attr('__class__')|attr('__mro__') }}",
    "{{ ''|attr('\\x5f\\x5fclass\\x5f\\x5f') }}",
    "{{ ()|attr(['_'*2, 'class', '_'*2]|join) }}",
    "{{ dict(__class__=1)|list|first }}{{ ''[dict(__class__=1)|list|first] }}",
    "{% set c = ''.__class__ %}{{ c.__init__ }}{{ c }}",
    // Jinja2: globals and the context.
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "{{ joiner.__init__.__globals__.os.popen('id').read() }}",
    "{{ namespace.__init__.__globals__.os.popen('id').read() }}",
    "{{ lipsum.__globals__['os'].popen('id').read() }}",
    "{{ self.__init__.__globals__.__builtins__.__import__('os').popen('id').read() }}",
    '{{ self._TemplateReference__context.cycler.__init__.__globals__.os }}',
    "{{ request.application.__globals__.__builtins__.__import__('os').popen('id').read() }}",
    "{{ url_for.__globals__['current_app'].config }}{{ config.items() }}{{ get_flashed_messages.__globals__ }}",
    '{{ loop.__init__ }}{% for i in [1] %}{{ loop.__init__.__globals__ }}{{ loop._iterator }}{{ loop.constructor }}{% endfor %}',
    '{{ range.__init__ }}{{ range.constructor }}{{ dict.__mro__ }}',
    '{% macro m() %}{% endmacro %}{{ m.__globals__ }}{{ m.constructor }}{{ m._func }}',
    "{% macro m() %}{{ caller.__globals__ }}{{ caller.constructor('return process')() }}{% endmacro %}{% call m() %}{% endcall %}",
    // Jinja2: formats.
    "{{ '{0.__class__.__init__.__globals__}'.format(self) }}",
    "{{ '{0[__class__]}'.format_map({'0': self}) }}",
    "{{ ''.format.__self__ }}{{ ('{0.__class__}'|attr('format'))(1) }}",
    "{{ '%s' | format(range) }}{{ '%c' | format(95) }}",
    "{{ [range, dict, namespace] | map('string') | join }}{{ range | string }}{{ range ~ '' }}{{ range | tojson }}",
    "{{ {'a': 1} | xmlattr }}{{ {'a onload=alert(1)': 1} | xmlattr }}",
    // Jinja2: other templates and modules.
    "{% include '/etc/passwd' %}",
    "{% include ['a', '/etc/passwd'] ignore missing %}",
    "{% extends '/etc/passwd' %}",
    "{% import 'os' as os %}{{ os.popen('id').read() }}",
    "{% from 'os' import popen %}{{ popen('id').read() }}",
    '{% debug %}',
    "{% do ''.__class__ %}",
    "{% autoescape false %}{{ ''.__class__ }}{% endautoescape %}",
    "{% print(''.__class__) %}",
    // Nunjucks and other engines of JavaScript.
    '{{ range.constructor(\'return global.process.mainModule.require("child_process").execSync("id")\')() }}',
    "{{ constructor.constructor('return process')() }}",
    "{{ ''.constructor.constructor('return process.env')() }}",
    "{{ [].constructor.constructor('return process')() }}",
    "{{ inputs.constructor.constructor('return process')() }}",
    "{{ inputs.question.constructor.constructor('return process')() }}",
    "{{ inputs['constructor']['constructor']('return process')() }}",
    "{{ inputs['const' ~ 'ructor'] }}{{ inputs[['constructor'] | first] }}{{ inputs.get('constructor') }}",
    "{{ inputs.__proto__.polluted }}{{ inputs.__defineGetter__ }}{{ inputs.__lookupGetter__('x') }}{{ inputs.hasOwnProperty }}",
    "{{ [1] | map(attribute='constructor') | list }}{{ [inputs] | map(attribute='constructor.constructor') | list }}",
    "{{ ['return process'] | map('constructor') | list }}{{ [1] | sort(attribute='constructor.constructor') }}",
    "{{ [inputs] | groupby('__proto__') }}{{ [inputs] | selectattr('constructor') | list }}{{ [1, 2] | select('constructor') | list }}",
    '{{ 1 is constructor }}{{ 1 | constructor }}{{ 1 | toString }}{{ 1 | __proto__ }}',
    "{{ globalThis }}{{ global }}{{ process }}{{ require('fs') }}{{ this }}{{ module }}{{ joiner() }}{{ cycler(1) }}",
    "{{ ''.replace.call.constructor }}{{ 'a'.replace('a', range) }}{{ 'a'.split.constructor('return 1')() }}",
    "{% set __proto__ = {'polluted': 1} %}{% set constructor = 1 %}{{ {}.polluted }}",
    "{% set ns = namespace(__proto__=1, constructor=2) %}{% set ns.__proto__ = {'polluted': 1} %}{{ {}.polluted }}{{ namespace().polluted }}",
    "{{ {'__proto__': {'polluted': 1}}.polluted }}{{ {'__proto__': {'a': 1}} | tojson }}",
    // Other engines, of which a template here is text.
    '<%= process.mainModule.require("child_process").execSync("id") %>',
    '#{7*7}*{7*7}@(7*7){{=7*7}}',
    '{{#with "s" as |string|}}{{this.push "return process"}}{{/with}}',
    '{{@print(system("id"))}}{php}echo id;{/php}',
    "{{ 7*'7' }}{{ '7'*7 }}",
  ])('%s', (source) => {
    // Each tag by itself too, since the first fault of a template ends it.
    for (const part of [source, ...(source.match(/\{\{.*?\}\}/g) ?? [])]) {
      expect(everythingOf(part).replaceAll(part, '')).not.toMatch(signs);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    }
  });
});
