/**
 * The API page: the viewer, in the colours of Assay. `up` leads from the page's folder to the root,
 * so that any prefix may stand before it.
 */
export const indexHtml = (up: '' | '../'): string => `<!doctype html>
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

export const pageScript = `window.SwaggerUIBundle({
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

export const pageCss = `:root { color-scheme: light; --ink: #16202c; --line: #dde3ea; --accent: #0b6e6e; }
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
