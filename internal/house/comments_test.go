package house

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEverythingExportedIsDocumented asks for a comment on each package of the
// library, and on each exported type, function, method, constant, variable and
// field. A comment on a group of constants or variables, and on the first of
// several fields without an empty line between them, is for all of them; that on
// an interface of one method is for the method too. String, Error and Unwrap mean
// everywhere the same.
func TestEverythingExportedIsDocumented(t *testing.T) {
	for _, p := range packages(t) {
		if !slices.Contains(library, p.unit()) || strings.Contains(p.ImportPath, "/internal/") {
			continue
		}
		documented := false
		for _, name := range p.GoFiles {
			path, err := filepath.Rel(root(), filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			file := parse(t, filepath.ToSlash(path))
			documented = documented || file.Doc != nil
			for _, d := range file.Decls {
				for _, id := range undocumented(d) {
					t.Errorf("%s: %s has no comment: say what it means, its unit, its default and its range", fset.Position(id.Pos()), id.Name)
				}
			}
		}
		if !documented {
			t.Errorf("%s has no package comment: say what it is for and which part most callers want", p.ImportPath)
		}
	}
}

// undocumented returns the exported names of a declaration that lack a comment.
func undocumented(d ast.Decl) []*ast.Ident {
	switch d := d.(type) {
	case *ast.FuncDecl:
		plain := d.Recv != nil && slices.Contains([]string{"String", "Error", "Unwrap"}, d.Name.Name)
		if d.Doc == nil && !plain && d.Name.IsExported() && exportedReceiver(d) {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		var bare []*ast.Ident
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if !s.Name.IsExported() {
					continue
				}
				if s.Doc == nil && (d.Doc == nil || d.Lparen.IsValid()) {
					bare = append(bare, s.Name)
				}
				switch u := s.Type.(type) {
				case *ast.StructType:
					bare = append(bare, undocumentedFields(u.Fields)...)
				case *ast.InterfaceType:
					if len(u.Methods.List) > 1 {
						bare = append(bare, undocumentedFields(u.Methods)...)
					}
				}
			case *ast.ValueSpec:
				if d.Doc != nil || s.Doc != nil || s.Comment != nil {
					continue
				}
				bare = append(bare, exported(s.Names)...)
			}
		}
		return bare
	}
	return nil
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	x := d.Recv.List[0].Type
	for {
		switch e := x.(type) {
		case *ast.StarExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.IndexListExpr:
			x = e.X
		case *ast.Ident:
			return e.IsExported()
		default:
			return true
		}
	}
}

func undocumentedFields(fields *ast.FieldList) []*ast.Ident {
	var bare []*ast.Ident
	last := -2 // the line of the last field that a comment covers
	for _, f := range fields.List {
		first, end := fset.Position(f.Pos()).Line, fset.Position(f.End()).Line
		if f.Doc != nil || f.Comment != nil || first == last+1 {
			last = end
			continue
		}
		bare = append(bare, exported(f.Names)...)
	}
	return bare
}

func exported(names []*ast.Ident) []*ast.Ident {
	return slices.DeleteFunc(slices.Clone(names), func(n *ast.Ident) bool { return !token.IsExported(n.Name) })
}
