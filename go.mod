module github.com/stanch-go/stanch

go 1.26
