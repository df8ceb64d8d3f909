// What the TypeScript compiler says about a folder of sources, for comparing with our graph: one JSON line each.
//
//   node typescript_calls.cjs TYPESCRIPT_FOLDER SOURCE_FOLDER [FILES_MAX]
//
//   {"call": [file, line, column], "name": text, "targets": [[file, line, name, syntax], …]}  within the folder
//   {"import": [file, line], "module": text, "target": file}
//
// A call whose target lies outside the folder has no targets and says `outside`; one of `any` has neither. Lines count from 1, columns from 0 in UTF-16 units.
'use strict';
const path = require('node:path');
const fs = require('node:fs');
const ts = require(path.resolve(process.argv[2]));
const root = fs.realpathSync(process.argv[3]);
const most = Number(process.argv[4] || 1e9);

function* sources(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (['node_modules', 'dist', '_cjs', '_esm', '_types', '.git'].includes(entry.name)) continue;
    const whole = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(whole);
    else if (/\.(ts|tsx|mts|cts)$/.test(entry.name) && !/\.d\.[mc]?ts$/.test(entry.name)) yield whole;
  }
}

const configFile = ts.findConfigFile(root, ts.sys.fileExists);
const configured = configFile && configFile.startsWith(root) ? ts.readConfigFile(configFile, ts.sys.readFile).config : {};
const parsed = ts.parseJsonConfigFileContent(configured || {}, ts.sys, root).options;
const options = {
  ...parsed, noEmit: true, allowJs: false, skipLibCheck: true, strict: true,
  target: ts.ScriptTarget.ESNext,
  module: parsed.module ?? ts.ModuleKind.ESNext,
  moduleResolution: parsed.moduleResolution ?? ts.ModuleResolutionKind.Bundler,
};
const files = [...sources(root)];
const program = ts.createProgram(files, options);
const checker = program.getTypeChecker();
const within = (file) => file && file.startsWith(root + path.sep) && !file.includes('node_modules');
const relative = (file) => path.relative(root, file).split(path.sep).join('/');
const place = (source, at) => { const p = source.getLineAndCharacterOfPosition(at); return [p.line + 1, p.character]; };

function nameOf(declaration) {
  if (declaration.name) return declaration.name.getText();
  if (ts.isConstructorDeclaration(declaration)) return 'constructor';
  const parent = declaration.parent;
  if (parent && (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent))) return parent.name.getText();
  return '';
}

function declarationsOf(node) {
  const found = new Set();
  found.outside = false;
  const add = (declaration) => {
    if (declaration && within(declaration.getSourceFile().fileName)) found.add(declaration);
    else if (declaration) found.outside = true;
  };
  const signature = checker.getResolvedSignature(node);
  if (signature) add(signature.declaration);
  let expression = node.expression ?? node.tag;
  while (ts.isParenthesizedExpression(expression) || ts.isNonNullExpression(expression)) expression = expression.expression;
  const at = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
  let symbol = checker.getSymbolAtLocation(at);
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  for (const declaration of symbol?.declarations ?? []) add(declaration);
  return found;
}

const out = [];
for (const source of program.getSourceFiles().filter((each) => within(each.fileName) && !each.isDeclarationFile).slice(0, most)) {
  const file = relative(source.fileName);
  const visit = (node) => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const callee = node.expression;
      if (callee.kind !== ts.SyntaxKind.ImportKeyword && callee.kind !== ts.SyntaxKind.SuperKeyword) {
        const at = ts.isPropertyAccessExpression(callee) ? callee.name.getStart() : callee.getStart();
        const found = declarationsOf(node);
        const targets = [...found].map((declaration) => {
          const where = declaration.name ?? declaration;
          return [relative(declaration.getSourceFile().fileName), place(declaration.getSourceFile(), where.getStart())[0], nameOf(declaration), ts.SyntaxKind[declaration.kind]];
        });
        out.push({ call: [file, ...place(source, at)], name: (ts.isPropertyAccessExpression(callee) ? callee.name : callee).getText().slice(0, 80), again: ts.isCallExpression(callee), targets, ...(found.outside && !targets.length ? { outside: true } : {}) });
      }
    }
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
      const text = node.moduleSpecifier.text;
      const resolved = ts.resolveModuleName(text, source.fileName, options, ts.sys).resolvedModule;
      const target = resolved && within(resolved.resolvedFileName) ? relative(resolved.resolvedFileName) : null;
      out.push({ import: [file, place(source, node.getStart())[0]], module: text, target });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}
process.stdout.write(out.map((each) => JSON.stringify(each)).join('\n') + '\n');
