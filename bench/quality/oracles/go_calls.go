// What the type checker of Go says about every call in the packages below a folder of a GOPATH.
//
//	GO111MODULE=off GOPATH=... CGO_ENABLED=0 go run go_calls.go FOLDER IMPORT_PATH
//
// A line of JSON for each place where something is called by a name: [file, line, column, [file, symbol] or null].
// null stands for a function value, or for something outside of the folder. Conversions and built-in functions are
// left out. Lines that begin with "implements" name a type and an interface, those with "type" all types that were asked.
package main

import (
	"encoding/json"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
)

var (
	fset = token.NewFileSet()
	from = importer.ForCompiler(fset, "source", nil)
	out  = json.NewEncoder(os.Stdout)
	root string
)

func main() {
	root, _ = filepath.Abs(os.Args[1])
	var named []*types.TypeName
	filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err != nil || !info.IsDir() {
			return nil
		}
		if name := info.Name(); path != root && (name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
			return filepath.SkipDir
		}
		inside, _ := filepath.Rel(root, path)
		pkg, err := build.ImportDir(path, 0)
		if err != nil && pkg == nil {
			return nil
		}
		importPath := filepath.ToSlash(filepath.Join(os.Args[2], inside))
		check(path, importPath, append(append([]string{}, pkg.GoFiles...), pkg.TestGoFiles...))
		check(path, importPath+"_test", pkg.XTestGoFiles)
		if len(pkg.GoFiles) > 0 {
			if made, _ := from.Import(importPath); made != nil {
				for _, name := range made.Scope().Names() {
					if each, ok := made.Scope().Lookup(name).(*types.TypeName); ok && !each.IsAlias() {
						named = append(named, each)
					}
				}
			}
		}
		return nil
	})
	implemented(named)
}

func check(folder, importPath string, names []string) {
	var files []*ast.File
	for _, name := range names {
		if file, err := parser.ParseFile(fset, filepath.Join(folder, name), nil, 0); err == nil {
			files = append(files, file)
		}
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: from, Error: func(error) {}}
	config.Check(importPath, fset, files, info)
	for _, file := range files {
		ast.Inspect(file, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok {
				tell(call.Fun, info)
			}
			return true
		})
	}
}

func tell(function ast.Expr, info *types.Info) {
	name := nameOf(function)
	if name == nil {
		return
	}
	at := fset.Position(name.Pos())
	switch object := info.Uses[name].(type) {
	case *types.Func:
		out.Encode([]any{inside(at.Filename), at.Line, at.Column - 1, target(object.Origin())})
	case *types.Var:
		out.Encode([]any{inside(at.Filename), at.Line, at.Column - 1, nil})
	}
}

func nameOf(function ast.Expr) *ast.Ident {
	switch at := function.(type) {
	case *ast.Ident:
		return at
	case *ast.SelectorExpr:
		return at.Sel
	case *ast.ParenExpr:
		return nameOf(at.X)
	case *ast.IndexExpr:
		return nameOf(at.X)
	case *ast.IndexListExpr:
		return nameOf(at.X)
	}
	return nil
}

func target(object *types.Func) any {
	path := inside(fset.Position(object.Pos()).Filename)
	if path == "" {
		return nil
	}
	receiver := object.Type().(*types.Signature).Recv()
	if receiver == nil {
		return []string{path, object.Name()}
	}
	of := receiver.Type()
	if pointer, ok := of.(*types.Pointer); ok {
		of = pointer.Elem()
	}
	if named, ok := of.(*types.Named); ok {
		return []string{path, named.Obj().Name() + "." + object.Name()}
	}
	return nil
}

func inside(path string) string {
	rest, err := filepath.Rel(root, path)
	if err != nil || path == "" || strings.HasPrefix(rest, "..") {
		return ""
	}
	return filepath.ToSlash(rest)
}

func implemented(named []*types.TypeName) {
	for _, each := range named {
		out.Encode([]any{"type", place(each)})
		if types.IsInterface(each.Type()) {
			continue
		}
		for _, other := range named {
			of, ok := other.Type().Underlying().(*types.Interface)
			generic, isNamed := other.Type().(*types.Named)
			if !ok || of.NumMethods() == 0 || !of.IsMethodSet() || isNamed && generic.TypeParams().Len() > 0 {
				continue
			}
			if types.Implements(types.NewPointer(each.Type()), of) {
				out.Encode([]any{"implements", place(each), place(other)})
			}
		}
	}
}

func place(name *types.TypeName) []string {
	return []string{inside(fset.Position(name.Pos()).Filename), name.Name()}
}
